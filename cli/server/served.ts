// What a local webhook serves, wherever it comes from.
import type { FindService } from "@outrigger/serving";
import type { Deployment } from "../connect/deployment.ts";

export interface Served {
  readonly find: FindService;
  /** Of the webhook's URL. */
  readonly path: string;
  /** The release that is served at first. */
  readonly release: string;
  /** What else to try, besides the webhook. */
  readonly hints: string;
  /** The deployment that is served; undefined for a directory. */
  readonly deployment?: Deployment;
  /** Called once the webhook is served, with its origin. */
  readonly listening?: (origin: string) => void;
  readonly close: () => void | Promise<void>;
}
