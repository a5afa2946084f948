// Writing Parameter Store through the AWS SDK; reading is in ssm-parameter-reader.ts.
import { DeleteParametersCommand, PutParameterCommand, type SSMClient } from "@aws-sdk/client-ssm";
import { defined } from "@outrigger/base";
import type { ObjectStore } from "../bucket/object-store.ts";
import { keepTier } from "./keep-tier.ts";
import type { ParameterStore } from "./parameter-store.ts";
import { sendOptions, ssmParameterReader } from "./ssm-parameter-reader.ts";
import { storeError } from "./store-error.ts";

/** The port to Parameter Store. Timeouts, retries and credentials are the client's; the bucket's access is passed in. */
export function ssmParameterStore(client: SSMClient, objects?: ObjectStore): ParameterStore {
  return {
    ...defined({ objects }),
    ...ssmParameterReader(client),
    putParameter: (write, options) =>
      keepTier(write, async ({ name, value, overwrite, tier }) => {
        const command = new PutParameterCommand({
          Name: name,
          Value: value,
          Type: "String",
          Overwrite: overwrite,
          Tier: tier,
        });
        try {
          const { Version } = await client.send(command, sendOptions(options?.signal));
          return Version ?? 0;
        } catch (error) {
          throw storeError(error, "write", [name]);
        }
      }),
    async deleteParameters(names, { signal } = {}) {
      const command = new DeleteParametersCommand({ Names: [...names] });
      try {
        await client.send(command, sendOptions(signal));
      } catch (error) {
        throw storeError(error, "delete", names);
      }
    },
  };
}
