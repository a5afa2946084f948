// The port to the release bucket, which has what is too large for parameters, each whole as one object that is named by its digest. Who
// answers the calls (AWS, a fake, a test) is passed in.
import type { OutsideCall } from "../outside-call.ts";

/** The place of an object. */
export interface ObjectPlace {
  readonly bucket: string;
  readonly key: string;
}

/** An object to write. */
export interface ObjectWrite extends ObjectPlace {
  readonly text: string;
}

/**
 * The calls of a bucket that serving needs. Every call, here and below, may throw what the calls of Parameter Store may
 * throw.
 */
export interface ObjectReader {
  /** Reads the object's text, or undefined where there is no such object. */
  readonly getObject: OutsideCall<ObjectPlace, string | undefined>;
}

export interface ListedObject {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly lastModified: number;
}

/** The calls of a bucket that publishing needs as well. */
export interface ObjectStore extends ObjectReader {
  /** Writes the object, whatever is there: under one digest, only the same text is ever written. */
  readonly putObject: OutsideCall<ObjectWrite, void>;
  /** Deletes an object. One that does not exist is no error. */
  readonly deleteObject: OutsideCall<ObjectPlace, void>;
  /** Lists everything below the place's key, which ends with a slash. */
  readonly listObjects: OutsideCall<ObjectPlace, readonly ListedObject[]>;
}
