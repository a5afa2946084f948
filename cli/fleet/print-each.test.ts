import { defined, OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { type ClusterAnswer, printEach, type Question } from "./print-each.ts";
import type { SelectedCluster } from "./select-clusters.ts";

const found = new OutriggerError("findings", "1 of 9 checks found something");
const refused = new OutriggerError("cluster-unreachable", "Cannot reach pay: it is asleep");

const ANSWERS: Readonly<Record<string, () => ClusterAnswer>> = {
  found: () => ({ value: { pods: 4 }, cells: ["4", "1"], said: "one is old", finding: found }),
  harmless: () => ({ value: { pods: 5 }, cells: ["5", "1"], said: "one is left", finding: found, isHarmless: true }),
  refused: () => {
    throw refused;
  },
  broken: () => {
    throw new TypeError("it is not\niterable");
  },
};

/** Asks clusters that answer by their names, up to a dash; one that is not in the table is well. */
async function printed(names: string, question: Partial<Question> = {}, known: Partial<SelectedCluster> = {}) {
  const io = fakeIo({ isTerminal: question.isQuiet !== undefined || question.maxConcurrency === 2 });
  const asked: string[] = [];
  const ask = async ({ name }: SelectedCluster): Promise<ClusterAnswer> => {
    asked.push(name);
    return ANSWERS[name.split("-")[0] ?? ""]?.() ?? { value: { pods: 3 }, cells: ["3", "0"], said: "all are new" };
  };
  const clusters = names.split(" ").map((word): SelectedCluster => {
    const [name = "", ring] = word.split("@");
    return { name, place: {}, ...(ring !== undefined && { ring: Number(ring) }), ...known };
  });
  const given = { headings: ["PODS", "OLD"], maxConcurrency: 1, ...question };
  const thrown = await printEach(clusters, given, ask, io).catch((error: OutriggerError) => error);
  const { code, message } = thrown ?? {};
  return { out: io.out(), err: io.err(), asked, ...defined({ code, message }) };
}

const continueWith = (clusters: readonly string[]) => `outrigger restart --clusters ${clusters.join(",")}`;

describe("printEach()", () => {
  it("prints a row for each cluster, in their order, and is well where all are", async () => {
    expect(await printed("web shop")).toEqual({
      out: "CLUSTER   PODS   OLD   RESULT\nweb       3      0     all are new\nshop      3      0     all are new\n",
      err: "",
      asked: ["web", "shop"],
    });
  });

  it("ends as the worst of all does, and asks the others all the same", async () => {
    const { out, asked, ...end } = await printed("found web refused found-too");
    expect(asked).toEqual(["found", "web", "refused", "found-too"]);
    expect(out.split("\n").slice(1)).toEqual([
      "found       4      1     one is old",
      "web         3      0     all are new",
      "refused     -      -     Cannot reach pay: it is asleep",
      "found-too   4      1     one is old",
      "",
    ]);
    expect(end).toEqual({
      err: "",
      code: "cluster-unreachable",
      message: "1 could not be asked or changed, 2 have findings, 1 is well",
    });
  });

  it.each([
    ["found", "findings", "1 has findings, 0 are well"],
    ["found web web-2", "findings", "1 has findings, 2 are well"],
    ["refused found-1", "cluster-unreachable", "1 could not be asked or changed, 1 has findings, 0 are well"],
    ["broken", "cluster-refused", "1 could not be asked or changed, 0 are well"],
  ])("says of %s what is not well", async (names, code, message) => {
    expect(await printed(names)).toMatchObject({ code, message });
  });

  it("says in one line what a bug is, and asks nothing of a cluster whose record cannot be read", async () => {
    expect((await printed("broken")).out).toMatch(
      /\nbroken {4}- {6}- {5}This is a bug in Outrigger: TypeError: it is not\n$/,
    );
    const unreadable = new OutriggerError("store-corrupt", "Cannot read clusters/web: it is no record");
    expect(await printed("web", {}, { unreadable })).toMatchObject({
      asked: [],
      out: expect.stringContaining("web       -      -     Cannot read clusters/web: it is no record\n"),
      code: "store-corrupt",
    });
  });

  it("lists an item for each, with the exit code that its own command would have", async () => {
    const { out } = await printed("web found refused web-2", { json: true, continueWith, maxConcurrency: 2 });
    expect(JSON.parse(out)).toEqual([
      { cluster: "web", exitCode: 0, pods: 3 },
      { cluster: "found", exitCode: 1, pods: 4 },
      // Begun before the finding was known.
      { cluster: "refused", exitCode: 3, error: { code: refused.code, message: refused.message } },
      { cluster: "web-2", isBegun: false },
    ]);
  });

  it("begins nothing more after one that is not well, where the command says how to continue", async () => {
    const { asked, out, message } = await printed("web found web-2 web-3", { continueWith });
    expect(asked).toEqual(["web", "found"]);
    expect(out).toContain("web-2     -      -     not begun\n");
    expect(message).toBe(
      "1 has findings, 1 is well; done: web; failed: found; not begun: web-2, web-3; see to found, then continue with: outrigger restart --clusters found,web-2,web-3",
    );
    expect((await printed("refused", { continueWith })).message).toContain(
      "done: none; failed: refused; not begun: none",
    );
  });

  it("goes on after a finding that is harmless, and then names no command", async () => {
    const { asked, message } = await printed("harmless web", { continueWith });
    expect(asked).toEqual(["harmless", "web"]);
    expect(message).toBe("1 has findings, 1 is well");
    expect((await printed("harmless found", { continueWith })).message).toContain("; done: harmless; failed: found;");
  });

  it("begins no cluster of the next ring before all of a ring are well", async () => {
    const question = { continueWith, maxConcurrency: 20 };
    expect((await printed("web@0 found@0 web-2@1 web-3@2", question)).asked).toEqual(["web", "found"]);
    expect((await printed("web@0 web-2@1 found@1 web-3@1 web-4@2", question)).asked).toEqual([
      "web",
      "web-2",
      "found",
      "web-3",
    ]);
    // A command that continues wherever it can asks every ring.
    expect((await printed("found@0 web@1", { maxConcurrency: 20 })).asked).toEqual(["found", "web"]);
  });

  it("counts for a person how many are done, unless the command says itself what it does", async () => {
    const { err } = await printed("web shop", { maxConcurrency: 2 });
    expect(err).toContain("0 of 2 clusters");
    expect(err).toContain("1 of 2 clusters");
    expect(err).toContain("2 of 2 clusters");
    expect((await printed("web shop", { isQuiet: true })).err).toBe("");
  });
});
