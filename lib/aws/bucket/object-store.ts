// The port to a deployment's bucket: immutable bytes by their digests, and one object that says which of them are served. Who answers the
// calls (AWS, a fake, a test), and which bucket it is, is passed in.
import type { OutsideCall } from "../outside-call.ts";

/** An object as it is read. */
export interface StoredObject {
  readonly text: string;
  /** Names this writing of the object: any other has another tag. */
  readonly tag: string;
}

/** An object to write. */
export interface ObjectWrite {
  readonly key: string;
  readonly text: string;
  /** The tag of what it may replace; null: it replaces nothing; left out: it replaces whatever is there. */
  readonly replaces?: string | null;
}

/**
 * The calls of a bucket that serving needs. Every call, here and below, may throw what the calls of Parameter Store may
 * throw.
 */
export interface ObjectReader {
  /** Reads the object of a key; undefined where there is none. */
  readonly getObject: OutsideCall<string, StoredObject | undefined>;
}

/** An object as a list names it. */
export interface ListedObject {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly lastModified: number;
}

/** The calls of a bucket that publishing needs as well. */
export interface ObjectStore extends ObjectReader {
  /** Writes the object. Returns false where what is there is not what it may replace: nothing is written then. */
  readonly putObject: OutsideCall<ObjectWrite, boolean>;
  /** Deletes the object of a key. One that does not exist is no error. */
  readonly deleteObject: OutsideCall<string, void>;
  /** Lists everything below a key, which ends with a slash. */
  readonly listObjects: OutsideCall<string, readonly ListedObject[]>;
  /** Deletes everything below a key, which ends with a slash, earlier versions included. */
  readonly emptyFolder: OutsideCall<string, void>;
}
