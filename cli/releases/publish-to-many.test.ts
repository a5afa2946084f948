import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { NamedDeployment } from "./deployments-file.ts";
import { type Publication, publishToMany } from "./publish-to-many.ts";

const [NEXT, OTHER] = ["bbbbbbbbbbbb", "cccccccccccc"] as const;
const named = (stage: string, ring: number): NamedDeployment => ({ stage, ring });
const CHANGED: Publication = { release: NEXT, changed: true };
const down = () => Promise.reject(new OutriggerError("aws-unavailable", "it does not answer"));

/** What each deployment does when it is tried, and when it is published to; the same where one answer is given. */
type Answers = Readonly<Record<string, Publication | typeof down | readonly [Publication, Publication | typeof down]>>;

async function publish(
  deployments: readonly NamedDeployment[],
  answers: Answers,
  settings: { readonly json?: true; readonly dryRun?: true } = {},
) {
  const io = fakeIo();
  /** What was tried and what was written, in order: `try a`, `write a`. */
  const done: string[] = [];
  const publishTo: Parameters<typeof publishToMany>[1] = async ({ stage }, { dryRun }, inner) => {
    done.push(`${dryRun === true ? "try" : "write"} ${stage}`);
    inner.stdout.write("a table of its own");
    inner.stderr.write(`on the way to ${stage}\n`);
    const answer = answers[stage] ?? CHANGED;
    const [tried, written] = Array.isArray(answer) ? answer : [answer, answer];
    const now = dryRun === true ? tried : written;
    return typeof now === "function" ? now() : now;
  };
  const error = await publishToMany(deployments, publishTo, settings, io).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const rows = settings.json === true ? [] : io.out().trimEnd().split("\n");
  const states = rows.slice(1).map((row) => row.split(/ {3,}/).at(-1));
  return { error, done, states, rows, out: io.out(), err: io.err() };
}

describe("publishToMany()", () => {
  it("tries every deployment before it writes to the first, and prints one table", async () => {
    const { done, rows, error, err } = await publish([named("a", 1), { ...named("b", 2), region: "eu-west-1" }], {});
    expect(error).toBeUndefined();
    expect(done).toEqual(["try a", "try b", "write a", "write b"]);
    expect(rows.map((row) => row.split(/ {3,}/))).toEqual([
      ["DEPLOYMENT", "RING", "RELEASE", "STATE"],
      ["a", "1", NEXT, "published"],
      ["b in eu-west-1", "2", NEXT, "published"],
    ]);
    expect(err).toBe(
      ["a", "b in eu-west-1", "a", "b in eu-west-1"].map((name) => `== ${name}\non the way to ${name[0]}\n`).join(""),
    );
  });

  it("prints the table of a file without deployments, and nothing fails", async () => {
    expect(await publish([], {})).toMatchObject({ error: undefined, done: [], states: [] });
  });

  it("says which have the tree already", async () => {
    const { states, error } = await publish([named("a", 1), named("b", 1), named("c", 2)], {
      b: { release: NEXT, changed: false },
      c: { release: NEXT },
    });
    expect([error, states]).toEqual([undefined, ["published", "as before", "as before"]]);
  });

  it("writes nothing in a dry run, and says what would be published", async () => {
    const { done, states, error } = await publish(
      [named("a", 1), named("b", 2)],
      { b: { release: NEXT, changed: false } },
      { dryRun: true },
    );
    expect([error, done, states]).toEqual([undefined, ["try a", "try b"], ["would be published", "as before"]]);
  });

  it.each([{}, { dryRun: true }] as const)("writes nothing where one refuses the tree: %j", async (settings) => {
    const all = [named("a", 1), named("b", 2), named("c", 3)];
    const { done, states, error } = await publish(all, { b: down }, settings);
    expect(done).toEqual(["try a", "try b", "try c"]);
    expect(states).toEqual(["not begun", "failed: it does not answer", "not begun"]);
    expect(error).toMatchObject({
      code: "aws-unavailable",
      path: "b",
      message: "Cannot publish to b, and nothing was written",
    });
  });

  it("finishes the ring in which one fails and begins none after it, of the first that failed", async () => {
    const all = [named("a", 1), named("b", 2), named("c", 2), named("d", 3), named("e", 4)];
    const { done, states, error } = await publish(all, {
      a: { release: NEXT },
      b: [CHANGED, down],
      c: [CHANGED, CHANGED],
    });
    expect(done.slice(5)).toEqual(["write a", "write b", "write c"]);
    expect(states).toEqual(["as before", "failed: it does not answer", "published", "not begun", "not begun"]);
    expect(error).toMatchObject({
      code: "aws-unavailable",
      path: "b",
      message: "Cannot publish to b, and 2 of 5 deployments have the tree; run it again to go on",
    });
  });

  it("fails by the first of those that failed", async () => {
    const denied = () => Promise.reject(new OutriggerError("store-denied", "you may not"));
    const { error } = await publish([named("a", 1), named("b", 1)], { a: denied, b: down });
    expect(error).toMatchObject({ code: "store-denied", path: "a" });
  });

  it("fails where the same tree comes to another release, and goes no further", async () => {
    const { done, states, error } = await publish([named("a", 1), named("b", 2), named("c", 3)], {
      b: { release: OTHER, changed: true },
    });
    expect(done.at(-1)).toBe("write b");
    expect(states).toEqual([
      "published",
      `failed: the same tree is ${NEXT} elsewhere: its functions are of another version of Outrigger; deploy them`,
      "not begun",
    ]);
    expect(error).toMatchObject({ code: "release-unsupported", path: "b" });
  });

  it("compares releases within an environment, and none that is not known", async () => {
    const of = (environment: string | undefined, release?: string) =>
      ({ changed: true, ...(environment && { environment }), ...(release && { release }) }) as Publication;
    const all = ["a", "b", "c", "d", "e"].map((stage) => named(stage, 1));
    const { states, error } = await publish(all, {
      a: of("prod", NEXT),
      b: of(undefined, OTHER),
      c: of("prod"),
      d: of("prod", NEXT),
      e: of("test", "dddddddddddd"),
    });
    expect([error, states]).toEqual([undefined, Array(5).fill("published")]);
    const other = await publish(all.slice(0, 2), { a: of("prod", NEXT), b: of("prod", OTHER) });
    expect(other.states).toEqual(["published", expect.stringContaining(`is ${NEXT} elsewhere`)]);
  });

  it("prints the rows as JSON, with the environment and the error of each", async () => {
    const { out } = await publish(
      [named("a", 1), named("b", 1)],
      { a: { ...CHANGED, environment: "prod" }, b: [CHANGED, down] },
      { json: true },
    );
    expect(JSON.parse(out)).toEqual([
      { deployment: named("a", 1), state: "published", release: NEXT, changed: true, environment: "prod" },
      {
        deployment: named("b", 1),
        state: "failed",
        error: { code: "aws-unavailable", message: "it does not answer" },
      },
    ]);
  });
});
