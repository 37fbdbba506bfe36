package org.fmi.run.timeline;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.fmi.run.timeline.Timeline.Attempt;
import org.fmi.run.timeline.Timeline.Back;
import org.fmi.run.timeline.Timeline.Checkpoint;
import org.fmi.run.timeline.Timeline.Ending;
import org.fmi.run.timeline.Timeline.Failure;
import org.fmi.run.timeline.Timeline.FileWrite;
import org.fmi.run.timeline.Timeline.Flow;
import org.fmi.run.timeline.Timeline.Join;
import org.fmi.run.timeline.Timeline.Node;
import org.fmi.run.timeline.Timeline.Notice;
import org.fmi.run.timeline.Timeline.Onward;
import org.fmi.run.timeline.Timeline.Recovery;
import org.fmi.run.timeline.Timeline.Remark;
import org.fmi.run.timeline.Timeline.Scope;
import org.fmi.run.timeline.Timeline.Spawn;
import org.fmi.run.timeline.Timeline.Stay;
import org.fmi.run.timeline.Timeline.Stop;

/**
 * Writes a timeline as a self-contained page: {@code timeline.html} draws it from its data, in
 * JSON. Long lists are arrays of numbers, a few per element.
 */
final class TimelinePage {
  private static final String TEMPLATE = "timeline.html";
  private static final String DATA = "@DATA@";

  private TimelinePage() {}

  static String of(Timeline timeline) throws IOException {
    String template;
    try (InputStream in = TimelinePage.class.getResourceAsStream(TEMPLATE)) {
      if (in == null) {
        throw new IllegalStateException(TEMPLATE + " is missing in the jar of FMI");
      }
      template = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    return template.replace(DATA, data(timeline));
  }

  private static String data(Timeline timeline) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = new JsonFactory().createGenerator(text)) {
      out.setCharacterEscapes(new InHtml());
      write(out, timeline);
    }
    return text.toString();
  }

  /** Keeps texts of a program from ending the element that holds the data. */
  private static final class InHtml extends CharacterEscapes {
    private static final long serialVersionUID = 1;

    private final int[] escapes = standardAsciiEscapesForJSON();

    InHtml() {
      for (char c : new char[] {'<', '>', '&'}) {
        escapes[c] = ESCAPE_STANDARD;
      }
    }

    @Override
    public int[] getEscapeCodesForAscii() {
      return escapes.clone();
    }

    @Override
    public SerializableString getEscapeSequence(int c) {
      return new SerializedString(String.valueOf((char) c));
    }
  }

  private static void write(JsonGenerator out, Timeline timeline) throws IOException {
    out.writeStartObject();
    out.writeStringField("job", timeline.job());
    out.writeStringField("program", timeline.program());
    out.writeNumberField("begun", timeline.begunMillis());
    out.writeNumberField("end", timeline.end());
    out.writeNumberField("ranks", timeline.ranks());
    out.writeBooleanField("cut", timeline.cut());
    Ending ending = timeline.ending();
    if (ending != null) {
      out.writeObjectFieldStart("ending");
      out.writeNumberField("status", ending.status());
      out.writeStringField("message", ending.message());
      out.writeEndObject();
    }
    out.writeObjectFieldStart("sum");
    out.writeNumberField("recoveries", timeline.recoveryCount());
    out.writeNumberField("recovering", timeline.recovering());
    out.writeNumberField("lostWork", timeline.lostWork());
    out.writeNumberField("checkpointing", timeline.checkpointing());
    out.writeEndObject();
    out.writeArrayFieldStart("nodes");
    for (Node node : timeline.nodes()) {
      out.writeStartArray();
      out.writeNumber(node.node());
      out.writeString(node.name());
      numbers(out, node.from(), node.to());
      out.writeEndArray();
    }
    out.writeEndArray();
    out.writeArrayFieldStart("stays");
    for (Stay stay : timeline.stays()) {
      numbers(out, stay.rank(), stay.node(), stay.incarnation(), stay.from(), stay.to());
    }
    out.writeEndArray();
    out.writeArrayFieldStart("checkpoints");
    for (Checkpoint c : timeline.checkpoints()) {
      numbers(out, c.at(), c.epoch(), c.version(), c.loop(), c.iteration(), c.bytes());
      numbers(out, c.coded(), c.copy(), c.encode(), c.commit());
    }
    out.writeEndArray();
    out.writeArrayFieldStart("fileWrites");
    for (FileWrite w : timeline.fileWrites()) {
      numbers(out, w.from(), w.to(), w.version(), w.loop(), w.iteration(), w.bytes());
      numbers(out, w.failed() ? 1 : 0);
    }
    out.writeEndArray();
    out.writeArrayFieldStart("recoveries");
    for (Recovery recovery : timeline.recoveries()) {
      write(out, recovery);
    }
    out.writeEndArray();
    out.writeArrayFieldStart("others");
    for (Failure failure : timeline.others()) {
      write(out, failure);
    }
    out.writeEndArray();
    out.writeArrayFieldStart("remarks");
    for (Remark remark : timeline.remarks()) {
      out.writeStartArray();
      out.writeNumber(remark.at());
      out.writeString(remark.text());
      out.writeEndArray();
    }
    out.writeEndArray();
    out.writeEndObject();
  }

  private static void write(JsonGenerator out, Recovery recovery) throws IOException {
    out.writeStartObject();
    out.writeNumberField("at", recovery.noticed());
    out.writeNumberField("running", recovery.running());
    out.writeNumberField("loop", recovery.loop());
    out.writeNumberField("iteration", recovery.iteration());
    out.writeNumberField("rebuilt", recovery.rebuilt());
    out.writeNumberField("since", recovery.computedSince());
    out.writeNumberField("lostWork", recovery.lostWork());
    out.writeNumberField("lost", recovery.lostIterations());
    out.writeStringField("whyAll", recovery.whyAll());
    Scope scope = recovery.scope();
    if (scope != null) {
      write(out, scope);
    }
    out.writeArrayFieldStart("failures");
    for (Failure failure : recovery.failures()) {
      write(out, failure);
    }
    out.writeEndArray();
    out.writeArrayFieldStart("attempts");
    for (Attempt attempt : recovery.attempts()) {
      write(out, attempt);
    }
    out.writeEndArray();
    out.writeEndObject();
  }

  private static void write(JsonGenerator out, Scope scope) throws IOException {
    out.writeObjectFieldStart("scope");
    out.writeStringField("why", scope.why());
    out.writeArrayFieldStart("back");
    for (Back back : scope.back()) {
      numbers(out, back.rank(), back.since(), back.from(), back.caughtUp(), back.repeated());
    }
    out.writeEndArray();
    out.writeArrayFieldStart("onward");
    for (Onward rank : scope.onward()) {
      numbers(out, rank.rank(), rank.loop(), rank.iteration(), rank.messages(), rank.bytes());
    }
    out.writeEndArray();
    Flow flow = scope.flow();
    if (flow != null) {
      out.writeObjectFieldStart("flow");
      out.writeNumberField("from", flow.from());
      out.writeNumberField("to", flow.to());
      out.writeStringField("helpers", flow.helpers());
      out.writeNumberField("computed", flow.computed());
      out.writeEndObject();
    }
    out.writeEndObject();
  }

  private static void write(JsonGenerator out, Failure failure) throws IOException {
    out.writeStartObject();
    out.writeNumberField("at", failure.at());
    out.writeNumberField("rank", failure.rank());
    out.writeNumberField("node", failure.node());
    out.writeStringField("name", failure.name());
    out.writeStringField("by", failure.by());
    out.writeStringField("reason", failure.reason());
    String cause = failure.cause();
    if (cause != null) {
      out.writeStringField("cause", cause);
    }
    out.writeEndObject();
  }

  private static void write(JsonGenerator out, Attempt attempt) throws IOException {
    out.writeStartObject();
    out.writeNumberField("epoch", attempt.epoch());
    out.writeNumberField("begun", attempt.begun());
    out.writeStringField("reason", attempt.reason());
    out.writeNumberField("restart", attempt.restartAll());
    out.writeNumberField("allJoined", attempt.allJoined());
    out.writeNumberField("allConnected", attempt.allConnected());
    out.writeStringField("overlay", attempt.overlay());
    out.writeArrayFieldStart("notified");
    for (Notice notice : attempt.notified()) {
      numbers(out, notice.rank(), notice.at(), notice.hops());
    }
    out.writeEndArray();
    out.writeArrayFieldStart("left");
    for (Stop stop : attempt.stopped()) {
      numbers(out, stop.rank(), stop.at(), stop.loop(), stop.iteration());
    }
    out.writeEndArray();
    out.writeArrayFieldStart("spawned");
    for (Spawn spawn : attempt.spawned()) {
      numbers(out, spawn.rank(), spawn.at(), spawn.node());
    }
    out.writeEndArray();
    out.writeArrayFieldStart("joined");
    for (Join join : attempt.joined()) {
      numbers(out, join.rank(), join.at());
    }
    out.writeEndArray();
    out.writeEndObject();
  }

  private static void numbers(JsonGenerator out, long... numbers) throws IOException {
    for (long number : numbers) {
      out.writeNumber(number);
    }
  }
}
