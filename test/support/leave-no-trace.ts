// Files of tests run one after another in one process, which spares each the loading of what others have loaded. So that
// none depends on which ran before it, every file is checked: what it changes of the process, it puts back.
import { afterAll, expect } from "vitest";
import { processState } from "./process-state.ts";

const before = processState();

// What is to be done after a file is done in reverse order: this comes after all that the file does itself.
afterAll(() => {
  expect(processState(), "A file of tests has to put back what it changes of its process").toEqual(before);
});
