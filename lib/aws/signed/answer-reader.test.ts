import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answer, answerReader } from "./answer-reader.ts";

/** Returns what is read of bytes that come in pieces, and then end. */
function read(...pieces: readonly (string | Buffer)[]): Answer {
  const reader = answerReader();
  for (const piece of pieces) {
    const answer = reader.add(Buffer.from(piece));
    if (answer !== undefined) return answer;
  }
  return reader.end();
}

/** Cut at the given places. */
function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const sorted = [...places.map((place) => place % (bytes.length + 1))].sort((a, b) => a - b);
  return [...sorted, bytes.length].map((end, index) => bytes.subarray(sorted[index - 1] ?? 0, end));
}

const OK = "HTTP/1.1 200 OK\r\n";

describe("answerReader()", () => {
  it("reads the same however the bytes are cut", () => {
    const body = '{"a":"é€😀"}';
    const bytes = Buffer.from(body);
    const chunked = Buffer.concat([
      Buffer.from(`${OK}Transfer-Encoding: chunked\r\nETag: "0f"\r\n\r\n`),
      ...[bytes.subarray(0, 7), bytes.subarray(7)].flatMap((part) => [
        Buffer.from(`${part.length.toString(16).toUpperCase()};x=y\r\n`),
        part,
        Buffer.from("\r\n"),
      ]),
      Buffer.from("0\r\n\r\n"),
    ]);
    const whole = Buffer.from(`${OK}content-length:  ${bytes.length} \r\netag:"0f" \r\n\r\n${body}`);
    const open = Buffer.from(`HTTP/1.0 200\r\nEtag: "0f"\r\n\r\n${body}`);
    const interim = Buffer.concat([Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"), whole]);
    fc.assert(
      fc.property(
        fc.constantFrom(whole, chunked, open, interim),
        fc.array(fc.nat(), { maxLength: 6 }),
        (text, places) => {
          expect(read(...cut(text, places))).toEqual({ status: 200, tag: '"0f"', body });
        },
      ),
    );
  });

  it.each(["204 No Content", "304 Not Modified"])("does not wait for a body of %s", (status) => {
    const bytes = Buffer.from(`HTTP/1.1 ${status}\r\nserver: AmazonS3\r\n\r\n`);
    expect(answerReader().add(bytes)).toEqual({ status: Number(status.slice(0, 3)), tag: "", body: "" });
  });

  it.each<[string, string, string]>([
    ["ends within its length", `${OK}content-length: 5\r\n\r\nab`, "the answer ended too early"],
    ["ends within its chunks", `${OK}transfer-encoding: chunked\r\n\r\n5\r\nab`, "the answer ended too early"],
    ["ends within its head", "HTTP/1.1 200 OK\r\nconte", "the answer ended too early"],
    ["is empty", "", "the answer ended too early"],
    ["is of another protocol", "SSH-2.0-OpenSSH_9\r\n\r\n", "the answer is not HTTP/1.1"],
    ["names two lengths", `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, "the answer is malformed"],
    ["names a length that is no number", `${OK}content-length: -1\r\n\r\nab`, "the answer is malformed"],
    ["has a line that is no field", `${OK}what is this\r\n\r\n`, "the answer is malformed"],
    ["has a chunk without a size", `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`, "the answer is malformed"],
    [
      "has a chunk longer than its size",
      `${OK}transfer-encoding: chunked\r\n\r\n1\r\nabcd\r\n`,
      "the answer is malformed",
    ],
    [
      "is compressed",
      `${OK}transfer-encoding: gzip, chunked\r\n\r\n`,
      "the answer comes in an encoding that was not asked for",
    ],
    ["has an endless head", `${OK}${"x: y\r\n".repeat(4000)}`, "the head of the answer is too large"],
    ["has an endless body", `${OK}\r\n${"x".repeat(5_000_000)}`, "the answer is too large"],
  ])("throws for an answer that %s", (_what, bytes, message) => {
    expect(() => read(bytes)).toThrow(message);
  });
});
