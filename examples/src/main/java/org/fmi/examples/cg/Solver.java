package org.fmi.examples.cg;

import org.fmi.Comm;
import org.fmi.Op;

/** Solves A x = b for a symmetric positive definite matrix A by conjugate gradients. */
final class Solver {
  private final Comm world;
  private final Rows a;
  private final Exchange exchange;
  private final double goal;

  /** The solution, what is missing to b, and the direction of the next step. */
  final double[] x;

  final double[] r;
  final double[] p;

  /** The square of the norm of r, over all ranks. */
  final double[] rho;

  private final double[] product;

  /** Starts at x = 0. */
  Solver(Comm world, Rows a, Exchange exchange, double[] b, double tolerance) {
    this.world = world;
    this.a = a;
    this.exchange = exchange;
    x = a.vector();
    r = b.clone();
    p = b.clone();
    product = a.vector();
    rho = new double[] {dot(b, b)};
    goal = tolerance * tolerance * rho[0];
  }

  /**
   * Takes one step.
   *
   * @return whether another one is needed. All ranks see the same numbers, so all say the same.
   */
  boolean step() {
    exchange.update(p);
    a.multiply(p, product);
    double alpha = rho[0] / dot(p, product);
    for (int i = 0; i < a.own.count(); i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * product[i];
    }
    double next = dot(r, r);
    double beta = next / rho[0];
    for (int i = 0; i < a.own.count(); i++) {
      p[i] = r[i] + beta * p[i];
    }
    rho[0] = next;
    return next > goal;
  }

  /** Returns the norm of b - A x by its definition, relative to the norm of b. */
  double residual(double[] b) {
    exchange.update(x);
    a.multiply(x, product);
    double[] missing = new double[b.length];
    for (int i = 0; i < a.own.count(); i++) {
      missing[i] = b[i] - product[i];
    }
    return Math.sqrt(dot(missing, missing) / dot(b, b));
  }

  /** The product of two vectors, over all ranks; the same bits at each of them. */
  private double dot(double[] v, double[] w) {
    double[] sum = new double[1];
    for (int i = 0; i < a.own.count(); i++) {
      sum[0] += v[i] * w[i];
    }
    world.allReduce(sum, Op.SUM);
    return sum[0];
  }
}
