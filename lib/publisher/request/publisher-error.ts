// An error as data, for answers that go through JSON.

import type { OutriggerError } from "@outrigger/base";
import { defined } from "@outrigger/base";
import type { PublisherError } from "./publisher-request.ts";

/** What an error says, without what caused it. */
export function errorOf({ code, message, path, line, column }: OutriggerError): PublisherError {
  return {
    code,
    message,
    ...defined({ path, line, column }),
  };
}
