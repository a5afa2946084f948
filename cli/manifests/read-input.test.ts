import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { assertRendered, inputName, readInput } from "./read-input.ts";

describe("inputName()", () => {
  it("is what messages call an input: no secret of a URL", () => {
    expect(inputName("-")).toBe("standard input");
    expect(inputName("a/b.yaml")).toBe("a/b.yaml");
    expect(inputName("https://me:secret@example.com/a.yaml?signature=x")).toBe("https://example.com/a.yaml");
  });
});

describe("readInput()", () => {
  let cwd: string;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "outrigger-read-input-"));
    writeFileSync(join(cwd, "a.yaml"), "\uFEFFkind: Pod # é\n");
    writeFileSync(join(cwd, "bytes"), Uint8Array.of(0xff, 0xfe, 0));
    mkdirSync(join(cwd, "folder"));
  });
  afterEach(() => rmSync(cwd, { recursive: true }));

  it("reads a file of the current directory, as it is", async () => {
    expect(await readInput("a.yaml", fakeIo({ cwd }))).toBe("\uFEFFkind: Pod # é\n");
  });

  it("reads standard input, of texts and of bytes that part a character", async () => {
    const [first = 0, second = 0] = Buffer.from("é");
    const input = ["kind: ", Uint8Array.of(first), Uint8Array.of(second), "\n"];
    expect(await readInput("-", fakeIo({ cwd, input }))).toBe("kind: é\n");
    expect(await readInput("-", fakeIo({ cwd }))).toBe("");
  });

  it.each([
    ["none.yaml", "Cannot read none.yaml: there is no such file or directory"],
    ["folder", "Cannot read folder: it is a directory"],
    ["bytes", "Cannot read bytes: it is not UTF-8 text"],
  ])("says why %s cannot be read", async (path, message) => {
    await expect(readInput(path, fakeIo({ cwd }))).rejects.toMatchObject({ code: "manifest-invalid", path, message });
  });

  it("says so of standard input by that name", async () => {
    const io = fakeIo({ cwd, input: [Uint8Array.of(0xff)] });
    await expect(readInput("-", io)).rejects.toThrow("Cannot read standard input: it is not UTF-8 text");
  });

  it("passes on why a URL could not be read, once", async () => {
    const failed = await readInput("http://localhost:1/a.yaml", fakeIo({ cwd })).catch((error: Error) => error);
    expect(failed).toMatchObject({ code: "manifest-invalid" });
    expect((failed as Error).message.match(/Cannot read/g)).toHaveLength(1);
  });
});

describe("assertRendered()", () => {
  const check = (text: string) => () => assertRendered(text, "chart/web.yaml");

  it.each([
    "{{- if .Values.on }}\nkind: Pod\n{{- end }}\n",
    "kind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n",
    'kind: "{{ .Values.kind }}"\nmetadata: {name: web}\n',
    'kind: Pod\nmetadata:\n  name: "{{ .Release.Name }}-web"\n',
    'kind: A\n---\nkind: Pod\nmetadata: {name: "{{ .Values.name }}"}\n',
  ])("refuses %j, with the way to render it", (text) => {
    expect(check(text)).toThrow(
      expect.objectContaining({
        code: "manifest-invalid",
        path: "chart/web.yaml",
        message: expect.stringContaining("helm template CHART | outrigger inject -f -"),
      }),
    );
  });

  it.each([
    "kind: Pod\nmetadata: {name: web}\n",
    'kind: ConfigMap\nmetadata: {name: a}\ndata: {a: "{{ .Values.a }}"}\n',
    "- '{{ .Values.a }}'\n",
  ])("takes %j: a manifest may have templates inside of its texts", (text) => {
    expect(check(text)).not.toThrow();
  });
});
