// GetParameters, and objects of the deployment's bucket, without the SDK, for serving alone: a function starts with this call, and the SDK's client would be half
// of what that start takes (docs/contributing/adr/0003-bundle-format.md). Everything else reads and writes through the SDK.
import { type JsonValue, objectOf, objectsOf, textOf } from "@outrigger/base";
import { signedObjectReader } from "../bucket/signed-object-store.ts";
import { type Exchange, exchangeOnce, type Sessions } from "../signed/exchange-once.ts";
import type { Environment } from "../signed/service-endpoint.ts";
import { signedCaller } from "../signed/signed-call.ts";
import type { Parameter, ParametersByName } from "./parameter-store.ts";
import { storeError } from "./store-error.ts";

/**
 * The port's first call, GetParameters, and objects, with the credentials of the environment. Tries once, until its signal aborts: retries and time limits are its caller's.
 *
 * @param env the environment of a Lambda function: Region, credentials, endpoints that replace AWS's own
 * @param bucket the deployment's bucket
 * @param sent is called for every request that was sent
 */
export function signedParameterReader(env: Environment, bucket: string, sent?: () => void): ParametersByName {
  const call = signedCaller("ssm", env, sent);
  const sessions: Sessions = {};
  const exchange: Exchange = (url, options) => exchangeOnce(url, options, sessions);
  return {
    objects: signedObjectReader({ env, bucket, exchange }),
    async getParameters(names, { signal } = {}) {
      try {
        return parametersOf(await call("AmazonSSM.GetParameters", { Names: [...names] }, signal));
      } catch (error) {
        throw storeError(error, "read", names);
      }
    },
  };
}

function parametersOf(answer: JsonValue): readonly Parameter[] {
  const list = objectOf(answer)["Parameters"];
  if (!Array.isArray(list)) throw new Error("the answer holds no parameters");
  return objectsOf(list).map(({ Name, Value, Type, Version, LastModifiedDate }) => ({
    name: textOf(Name) ?? "",
    value: textOf(Value) ?? "",
    type: Type === "StringList" || Type === "SecureString" ? Type : "String",
    version: typeof Version === "number" ? Version : 0,
    // Sent in seconds.
    ...(typeof LastModifiedDate === "number" ? { lastModified: Math.round(LastModifiedDate * 1000) } : {}),
  }));
}
