// docs/reference/differences.json: a measured case for every row that a pod can show. With the row's setting the case is equal
// to the reference, and without it the row explains the difference.
import { loadRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import { byDefault, caseVerdict } from "../../tools/conformance/case-verdict.ts";
import { differenceRows } from "../../tools/conformance/differences.ts";
import {
  type CaseOutcome,
  outcomeOfError,
  releaseOfCase,
  throughInjector,
} from "../../tools/conformance/entry-points.ts";
import { readCases } from "../reference/read-reference.ts";

const shipped = await readSourceTree("templates");
const cases = readCases("differences");
const rowOf = (name: string) => name.slice(name.indexOf("/") + 1).replace(/\.\d+$/, "");
const rows = new Map(differenceRows.map((row) => [row.id, row]));

/** The setting makes no difference: the reference denies the pod for a fault of its configuration, and that is a 500. */
const FAULTS: readonly string[] = ["order-of-no-containers", "types-in-eq"];

describe("a case of a documented difference", () => {
  it.each(cases)("$name is explained by its row", async (conformanceCase) => {
    const { expect: _, ...input } = conformanceCase;
    const outcomeOf = async (setting: "compatibility" | null): Promise<CaseOutcome> => {
      try {
        const release = releaseOfCase(shipped, input);
        return await throughInjector(input, loadRelease(setting === null ? byDefault(release) : release));
      } catch (error) {
        return outcomeOfError(error);
      }
    };
    const outcomes = [{ entryPoint: "inject", outcome: await outcomeOf("compatibility") }];
    const verdict = caseVerdict(conformanceCase, outcomes, await outcomeOf(null));
    const id = rowOf(conformanceCase.name);
    const [asReference] = verdict.entryPoints;
    const isFault = FAULTS.includes(id);
    expect(verdict).toMatchObject({ verdict: "differs", rows: isFault ? ["fault-is-500", id] : [id] });
    expect(asReference?.differences.length === 0).toBe(rows.get(id)?.setting === "compatibility" && !isFault);
  });
});

describe("the rows", () => {
  it("are named once, and each example is a measured case", () => {
    expect(rows.size).toBe(differenceRows.length);
    const measured = new Map(cases.map(({ name, request }) => [name.slice("differences/".length), request.object]));
    for (const { id, example } of differenceRows) {
      if (example !== null) expect({ id, pod: measured.get(id) }).toEqual({ id, pod: example.pod });
    }
    expect(cases.filter(({ name }) => !rows.has(rowOf(name)))).toEqual([]);
  });

  it("of the setting have an example, each", () => {
    const without = differenceRows.filter(({ setting, example }) => setting !== null && example === null);
    expect(without).toEqual([]);
  });
});
