"""What the benchmarks' commands accept as options, and how they print sizes. Standard library only."""

import argparse
import contextlib

KIB, MIB = 1 << 10, 1 << 20


def listed(allowed, what):
    def parse(text):
        values = list(dict.fromkeys(text.split(",")))
        for value in values:
            if value not in allowed:
                raise argparse.ArgumentTypeError(f"{value!r} is no {what}; there are {', '.join(allowed)}")
        return values
    return parse


def numbers(least, most, multiple_of=1):
    def parse(text):
        try:
            values = sorted({int(part) for part in text.split(",")})
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers such as {least},{2 * least}")
        for value in values:
            if not least <= value <= most or value % multiple_of:
                multiple = f" and a multiple of {multiple_of}" if multiple_of > 1 else ""
                raise argparse.ArgumentTypeError(f"{value} is not from {least} to {most}{multiple}")
        return values
    return parse


def above_zero(kind, below=10_000):
    def parse(text):
        with contextlib.suppress(ValueError):
            if 0 < kind(text) < below:
                return kind(text)
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0 and below {below}")
    return parse


def parser_for(program, description, epilog=None):
    """A parser for the arguments of this program; ends it with status 64 where they are wrong."""
    parser = argparse.ArgumentParser(prog=program, description=description, epilog=epilog, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda message: parser.exit(64, f"{program}: {message}\n")
    return parser


def rounds_asked(program, description, default, name="ROUNDS"):
    """The only argument of a benchmark that takes one: how often to measure."""
    parser = parser_for(program, description)
    parser.add_argument(name, nargs="?", type=above_zero(int), default=default, help=f"default {default}")
    return getattr(parser.parse_args(), name)


def size_name(size):
    for unit, name in ((MIB, "MiB"), (KIB, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B" if size else ""
