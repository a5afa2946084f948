import { describe, expect, it } from "vitest";
import { checkParameters } from "./deploy-parameters.ts";

const fine = {
  api: "http",
  clusters: "",
  domain: "",
  certificate: "",
  vpcEndpoints: "",
  subnets: "",
  securityGroups: "",
};
const network = { vpcEndpoints: "vpce-1", subnets: "subnet-1", securityGroups: "sg-1" };

describe("checkParameters()", () => {
  it.each([
    ["the defaults", {}],
    ["a REST API with a domain", { api: "rest", domain: "inject.example.com", certificate: "arn" }],
    ["a private API in a network", { api: "private", ...network }],
    ["clusters", { clusters: "shop-eu,shop_us,a.b," }],
  ])("takes %s", (_what, given) => {
    expect(checkParameters({ ...fine, ...given })).toBeUndefined();
  });

  it.each([
    [{ api: "soap" }, 'Cannot deploy the API "soap"'],
    [{ domain: "inject.example.com" }, "A domain and its certificate go together"],
    [{ certificate: "arn" }, "A domain and its certificate go together"],
    [{ api: "private", ...network, domain: "d", certificate: "c" }, "Cannot give a private API a domain"],
    [{ api: "private", ...network, subnets: "" }, "A private API needs --param vpcEndpoints"],
    [{ clusters: "shop-eu,shop/us" }, 'Cannot give "shop/us" a throttle'],
    [{ clusters: "shop-eu, shop-us" }, 'Cannot give " shop-us" a throttle'],
  ])("refuses %j and says the way out", (given, message) => {
    expect(checkParameters({ ...fine, ...given })).toContain(message);
  });
});
