// The form of what pack-models.ts takes out of botocore, and of a request as it was recorded.

export interface Shape {
  readonly type: string;
  readonly members?: Readonly<Record<string, Member>>;
  readonly required?: readonly string[];
  readonly member?: Member;
  readonly key?: Member;
  readonly value?: Member;
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  /** The member that is the whole body. */
  readonly payload?: string;
}

interface Member {
  readonly shape: string;
  readonly location?: string;
  readonly locationName?: string;
}

export interface Model {
  readonly apiVersion: string;
  readonly protocol: string;
  readonly targetPrefix?: string;
  readonly signingName: string;
  readonly operations: Readonly<
    Record<string, { readonly http: { readonly method: string; readonly requestUri: string }; readonly input?: string }>
  >;
  readonly shapes: Readonly<Record<string, Shape>>;
}

/** A case of AWS's Signature Version 4 test suite. */
export interface SignatureCase {
  readonly name: string;
  /** The request as text. */
  readonly request: string;
  readonly canonical: string;
  readonly toSign: string;
  /** The Authorization header. */
  readonly header: string;
}

export interface RecordedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** The headers in their order. A name is there as often as it came. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}
