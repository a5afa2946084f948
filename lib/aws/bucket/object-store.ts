// The port to the release bucket: what is too large for parameters, each whole as one object that is named by its digest. Who
// answers (S3, a fake, a test) is passed in; what the objects mean is not known here.

/** Where an object is. */
export interface ObjectPlace {
  readonly bucket: string;
  readonly key: string;
}

/** What serving takes. Every call, here and below, may throw what the calls of Parameter Store may throw. */
export interface ObjectReader {
  /** The object's text, or undefined where there is no such object. */
  getObject(place: ObjectPlace, options?: CallOptions): Promise<string | undefined>;
}

export interface ListedObject {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly lastModified: number;
}

/** What publishing takes as well. */
export interface ObjectStore extends ObjectReader {
  /** Writes the object, whatever is there: under one digest, only the same text is ever written. */
  putObject(place: ObjectPlace, text: string, options?: CallOptions): Promise<void>;
  /** An object that does not exist is no error. */
  deleteObject(place: ObjectPlace, options?: CallOptions): Promise<void>;
  /** Everything below the place's key, which ends with a slash. */
  listObjects(place: ObjectPlace, options?: CallOptions): Promise<readonly ListedObject[]>;
}

/** What every call of Parameter Store and of the bucket takes. */
export interface CallOptions {
  /** Ends the call: it fails with `store-unavailable`. */
  readonly signal?: AbortSignal;
}
