// Owns an error as data, for answers that go through JSON.
import { defined } from "../defined.ts";
import type { OutriggerError } from "../errors.ts";
import type { PublisherError } from "./publisher-request.ts";

/** What an error says, without what caused it. */
export function errorOf({ code, message, path, line, column }: OutriggerError): PublisherError {
  return {
    code,
    message,
    ...defined({ path, line, column }),
  };
}
