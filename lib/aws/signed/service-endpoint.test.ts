import { readFileSync } from "node:fs";
import { SSMClient } from "@aws-sdk/client-ssm";
import { describe, expect, it } from "vitest";
import { bucketEndpoint, type Environment, serviceEndpoint } from "./service-endpoint.ts";

interface Endpoints {
  /** Region, FIPS, dual stack, an endpoint from the environment, and the URL; null where the combination is refused. */
  readonly cases: readonly (readonly [string, boolean, boolean, string, string | null])[];
  /** Name, domain, domain of dual-stack endpoints, Regions. */
  readonly partitions: readonly (readonly [string, string, string, readonly string[]])[];
}

const { cases, partitions } = JSON.parse(
  readFileSync(new URL("../../../test/store/ssm-endpoints.json", import.meta.url), "utf8"),
) as Endpoints;
const BOTH = [false, true];

const buckets = JSON.parse(readFileSync(new URL("../../../test/store/s3-endpoints.json", import.meta.url), "utf8")) as {
  /** Region, FIPS, dual stack, and the URL of the bucket `releases`; null where the combination is refused. */
  readonly cases: readonly (readonly [string, boolean, boolean, string | null])[];
};

function environment(region: string, isFips: boolean, isDualStack: boolean, endpoint = ""): Environment {
  return {
    AWS_REGION: region,
    ...(isFips ? { AWS_USE_FIPS_ENDPOINT: "true" } : {}),
    ...(isDualStack ? { AWS_USE_DUALSTACK_ENDPOINT: "true" } : {}),
    ...(endpoint === "" ? {} : { AWS_ENDPOINT_URL_SSM: endpoint }),
  };
}

describe("serviceEndpoint()", () => {
  it("has the endpoint tests of botocore and every partition", () => {
    expect([cases.length, partitions.length]).toEqual([49, 8]);
  });

  it.each(cases)("for Region %j, FIPS %j, dual stack %j and endpoint %j is %j", (region, fips, dual, endpoint, url) => {
    const found = () => serviceEndpoint("ssm", environment(region, fips, dual, endpoint)).href;
    if (url === null) expect(found).toThrow(/AWS_REGION|AWS_USE_(FIPS|DUALSTACK)_ENDPOINT/);
    else expect(found()).toBe(`${url}/`);
  });

  it.each(partitions)(
    "is the SDK's own for every Region of %s, with and without FIPS and dual stack",
    (_name, _domain, _dual, regions) => {
      const credentials = { accessKeyId: "x", secretAccessKey: "x" };
      for (const region of regions) {
        const { endpointProvider } = new SSMClient({ region, credentials }).config;
        for (const fips of BOTH) {
          for (const dual of BOTH) {
            const { url } = endpointProvider({ Region: region, UseFIPS: fips, UseDualStack: dual });
            expect(serviceEndpoint("ssm", environment(region, fips, dual)).href).toBe(url.href);
          }
        }
      }
    },
  );

  it("is where botocore has Parameter Store, in every Region", () => {
    const file = new URL("../../../test/infra/facts/endpoints.json", import.meta.url);
    const { services, regions } = JSON.parse(readFileSync(file, "utf8")) as {
      readonly services: readonly string[];
      /** Region → partition and hosts, in the order of the services. */
      readonly regions: Readonly<Record<string, string>>;
    };
    const rows = Object.entries(regions).map(([region, text]) => [region, text.split(" ").slice(1)] as const);
    expect(rows.length).toBeGreaterThan(40);
    const found = rows.map(([region]) => serviceEndpoint("ssm", { AWS_REGION: region }).host);
    expect(found).toEqual(rows.map(([, hosts]) => hosts[services.indexOf("ssm")]));
  });

  it.each([
    ["one for all services", { AWS_ENDPOINT_URL: "http://127.0.0.1:1" }, "http://127.0.0.1:1/"],
    [
      "one for this service rather than one for all",
      {
        AWS_ENDPOINT_URL_SSM: "https://vpce-1.ssm.us-east-1.vpce.amazonaws.com",
        AWS_ENDPOINT_URL: "http://127.0.0.1:1",
      },
      "https://vpce-1.ssm.us-east-1.vpce.amazonaws.com/",
    ],
    [
      "the Region's own where configured ones are ignored",
      {
        AWS_ENDPOINT_URL: "http://127.0.0.1:1",
        AWS_ENDPOINT_URL_SSM: "http://127.0.0.1:2",
        AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "true",
      },
      "https://ssm.eu-west-1.amazonaws.com/",
    ],
    [
      "the one for FIPS where a configured one is ignored",
      {
        AWS_ENDPOINT_URL: "http://127.0.0.1:1",
        AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "true",
        AWS_USE_FIPS_ENDPOINT: "true",
      },
      "https://ssm-fips.eu-west-1.amazonaws.com/",
    ],
    [
      "a configured one where it says false",
      { AWS_ENDPOINT_URL: "http://127.0.0.1:1", AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "false" },
      "http://127.0.0.1:1/",
    ],
  ])("takes %s", (_which, env, url) => {
    expect(serviceEndpoint("ssm", { AWS_REGION: "eu-west-1", ...env }).href).toBe(url);
  });
});

describe("bucketEndpoint()", () => {
  it("is that of botocore's rules for every Region, with and without FIPS and dual stack", () => {
    // In China there are no endpoints that comply with FIPS: the call fails, as no such host exists.
    const judged = buckets.cases.filter(([, , , url]) => url !== null);
    expect(judged.length).toBe(180);
    for (const [region, fips, dual, url] of judged) {
      expect(bucketEndpoint("releases", environment(region, fips, dual)).href).toBe(`${url}/`);
    }
  });

  it("puts the bucket into the path of an endpoint that the environment gives", () => {
    const env = { AWS_REGION: "eu-west-1", AWS_ENDPOINT_URL_S3: "http://127.0.0.1:4566/s3/" };
    expect(bucketEndpoint("releases", env).href).toBe("http://127.0.0.1:4566/s3/releases/");
    const ignored = { ...env, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "true" };
    expect(bucketEndpoint("releases", ignored).host).toBe("releases.s3.eu-west-1.amazonaws.com");
    expect(() => bucketEndpoint("releases", {})).toThrow("AWS_REGION is not set");
  });
});
