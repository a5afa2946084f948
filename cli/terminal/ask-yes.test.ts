import { OutriggerError } from "@outrigger/base";
import { expect, it } from "vitest";
import { askYes } from "./ask-yes.ts";

const NOTHING = "Nothing was restarted";

it("askYes() goes on for yes alone, and says otherwise what was not done", async () => {
  const asked: string[] = [];
  const answering = (answer: string) => {
    const ask = async (question: string) => {
      asked.push(question);
      return answer;
    };
    return askYes({ ask }, "Restart two workloads?", NOTHING);
  };
  for (const yes of ["y", "Y", "yes", "YES"]) await answering(yes);
  expect(asked[0]).toBe("Restart two workloads? [y/N] ");
  for (const no of ["", "n", "no", "yess", "ye", "oy", "y y"])
    await expect(answering(no)).rejects.toMatchObject({ code: "usage", message: NOTHING });
});

it("askYes() is refused where nobody can answer: with the option that says yes, or the caller's own words", async () => {
  await expect(askYes({}, "Restart?", NOTHING)).rejects.toMatchObject({
    code: "usage",
    message: "Cannot ask: there is no terminal; say --yes, or look at the plan with --dry-run",
  });
  const own = new OutriggerError("findings", "say --force");
  await expect(askYes({}, "Restart?", NOTHING, own)).rejects.toBe(own);
});
