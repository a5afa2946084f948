// What a local webhook serves, wherever it comes from.
import type { FindService } from "../../lib/admission/service.ts";

export interface Served {
  readonly find: FindService;
  /** Of the webhook's URL. */
  readonly path: string;
  /** The release that is served at first. */
  readonly release: string;
  /** What else to try, besides the webhook. */
  readonly hints: string;
  readonly close: () => void | Promise<void>;
}
