import { expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { main } from "../main.ts";

it("outrigger print helpers prints one with its arguments, and suggests the nearest name", async () => {
  const io = fakeIo();
  expect(await main(["print", "helpers", "sha256sum"], io)).toBe(0);
  expect(io.out()).toMatch(/^sha256sum {2}The SHA-256 of a text/);
  expect(await main(["print", "helpers", "slice"], io)).toBe(0);
  expect(io.out()).toContain("slice list start [end]\n  list   a list;");
  expect(io.out()).toContain("\n  [end]  the index after the last item\n");
  expect(await main(["print", "helpers", "sha256sun"], io)).toBe(2);
  expect(io.err()).toContain('did you mean "sha256sum"');
});
