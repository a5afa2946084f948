import { describe, expect, it } from "vitest";
import { chooseProxy } from "./choose-proxy.ts";

const PROXY = "http://proxy.test:3128/";
const environment = { HTTPS_PROXY: "http://proxy.test:3128" };

describe("chooseProxy()", () => {
  it("takes the variable of the protocol, in capitals or not", () => {
    expect(chooseProxy("https://k8s.example", environment)).toBe(PROXY);
    expect(chooseProxy("https://k8s.example", { https_proxy: "proxy.test:3128" })).toBe(PROXY);
    expect(chooseProxy("http://k8s.example", environment)).toBeUndefined();
    expect(chooseProxy("http://k8s.example", { HTTP_PROXY: "proxy.test:3128" })).toBe(PROXY);
    expect(chooseProxy("https://k8s.example", { HTTPS_PROXY: "" })).toBeUndefined();
  });

  it.each([
    ["*", true],
    ["k8s.example", true],
    ["K8S.Example", true],
    ["example", true],
    [".example", true],
    ["*.example", true],
    ["a.test, k8s.example", true],
    ["k8s.example:443", true],
    ["k8s.example:6443", false],
    ["8s.example", false],
    ["k8s.example.org", false],
    ["", false],
    [",", false],
    ["10.0.0.0/8", false],
  ])("with NO_PROXY=%s goes directly: %s", (NO_PROXY, isDirect) => {
    expect(chooseProxy("https://k8s.example", { ...environment, NO_PROXY })).toBe(isDirect ? undefined : PROXY);
  });

  it.each([
    ["https://10.1.2.3", "10.0.0.0/8", true],
    ["https://10.1.2.3", "10.1.2.3", true],
    ["https://10.1.2.3:6443", "10.1.2.3:6443", true],
    ["https://10.1.2.3", "10.1.2.3:6443", false],
    ["https://10.1.2.3", "10.2.0.0/16", false],
    ["https://10.1.2.3", "10.0.0.0/99", false],
    ["https://[fd00::1]", "fd00::/8", true],
    ["https://[fd00::1]", "10.0.0.0/8", false],
  ])("reaches %s with NO_PROXY=%s directly: %s", (url, NO_PROXY, isDirect) => {
    expect(chooseProxy(url, { ...environment, NO_PROXY })).toBe(isDirect ? undefined : PROXY);
  });

  it.each(["https://localhost:6443", "https://127.0.0.1:6443", "https://127.9.9.9", "https://[::1]:6443"])(
    "reaches %s directly, unless the kubeconfig names a proxy",
    (url) => {
      expect(chooseProxy(url, environment)).toBeUndefined();
      expect(chooseProxy(url, { NO_PROXY: "*" }, "https://other.test")).toBe("https://other.test/");
    },
  );

  it("refuses other proxies without showing a password", () => {
    const refused = () => chooseProxy("https://k8s.example", {}, "socks5://ann:secret@proxy.test");
    expect(refused).toThrow("Cannot use the proxy in proxy-url of the kubeconfig: socks5:// is not supported");
    expect(refused).not.toThrow("secret");
    expect(() => chooseProxy("https://k8s.example", { HTTPS_PROXY: "http://" })).toThrow("it is not a URL");
  });
});
