// The commands about clusters, through the command line: the SDK speaks to services on loopback, the API server and the
// webhook are on loopback too, and the publisher is the real one over a Parameter Store in memory.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Certificate, main } from "@outrigger/cli";
import { digestOfToken } from "@outrigger/cluster";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeAws } from "../cli/fake-aws.ts";
import { fakeIo } from "../cli/fake-io.ts";
import { type FakeApiServer, startFakeApiServer } from "./fake-api-server.ts";
import { type FakeAwsServices, startFakeAwsServices } from "./fake-aws-services.ts";
import { type FakeWebhook, startFakeWebhook } from "./fake-webhook.ts";
import { labCertificate } from "./lab-certificate.ts";
import { startRealWebhook } from "./real-webhook.ts";

const ARN = "arn:aws:eks:eu-west-1:111122223333:cluster/shop";
const GROUP = "/apis/admissionregistration.k8s.io/v1";
const CONFIGURATION = `${GROUP}/mutatingwebhookconfigurations/outrigger-sidecar-injector`;

/** Matches the parameters that an authenticator for EKS takes in a token's query. No others may be there. */
const ALLOWED = /^(action|version|x-amz-(algorithm|credential|date|expires|security-token|signature|signedheaders))$/i;

function isEksToken(token: string): boolean {
  const [, encoded] = /^k8s-aws-v1\.([A-Za-z0-9_-]+)$/.exec(token) ?? [];
  if (encoded === undefined) return false;
  const { hostname, searchParams } = new URL(Buffer.from(encoded, "base64url").toString());
  const isSigned = searchParams.get("X-Amz-SignedHeaders") === "host;x-k8s-aws-id";
  return (
    hostname === "sts.eu-west-1.amazonaws.com" && isSigned && [...searchParams.keys()].every((key) => ALLOWED.test(key))
  );
}

describe("the commands about clusters", { timeout: 120_000 }, () => {
  let certificate: Certificate;
  let aws: ReturnType<typeof fakeAws>;
  let [api, webhook, services] = [] as unknown as [FakeApiServer, FakeWebhook, FakeAwsServices];
  let cwd: string;

  beforeAll(async () => {
    certificate = await labCertificate();
    cwd = mkdtempSync(join(tmpdir(), "outrigger-clusters-"));
    writeFileSync(join(cwd, "ca.pem"), certificate.cert);
    writeFileSync(join(cwd, "key.pem"), certificate.key);
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));
  beforeEach(async () => {
    [api, webhook, services] = await Promise.all([
      startFakeApiServer(certificate),
      startFakeWebhook(certificate),
      startFakeAwsServices(),
    ]);
    aws = fakeAws();
    webhook.tokens = () => liveTokens();
    api.accepts = isEksToken;
    api.put("/api/v1/namespaces/default", {
      metadata: { name: "default", labels: { "kubernetes.io/metadata.name": "default" } },
    });
    services.outputs.set("outrigger-dev", webhook.url);
    services.clusters.set("shop", {
      name: "shop",
      arn: ARN,
      endpoint: api.url,
      version: "1.33",
      status: "ACTIVE",
      certificateAuthority: { data: btoa(certificate.cert) },
    });
    for (const [name, value] of Object.entries(services.env)) vi.stubEnv(name, value);
    expect((await run("publish")).code).toBe(0);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await Promise.all([api.close(), webhook.close(), services.close()]);
  });

  async function run(...argv: readonly string[]) {
    const io = fakeIo({ cwd, connect: aws.connect });
    const code = await main(argv, io);
    return { code, out: io.out(), err: io.err() };
  }

  const register = (...argv: readonly string[]) => run("register", "--cluster", "shop", "--ca-file", "ca.pem", ...argv);
  const record = () => JSON.parse(aws.store.values()["/outrigger/dev/clusters/shop"] ?? "{}");
  const liveTokens = () => (record().tokens ?? []).map(({ sha256 }: { readonly sha256: string }) => sha256);
  const objects = () => [...api.objects.keys()].filter((path) => path.startsWith(GROUP));

  it("lets no pod lose the proxy that istiod injects unless asked to, and says before the first write who else injects", async () => {
    const agent = "spec:\n  containers:\n  - {name: agent, image: 'agent:1'}\n";
    await aws.edit("templates/agent", agent);
    await aws.edit("config", "defaultTemplates: [agent]\n");
    // No cluster has been served: that the shipped container goes waits for nobody.
    expect((await run("publish")).code).toBe(0);
    const namespaceSelector = { matchLabels: { "istio-injection": "enabled" } };
    const webhooks = [{ name: "namespace.sidecar-injector.istio.io", namespaceSelector }];
    api.put(CONFIGURATION.replace("outrigger-", "istio-"), { metadata: { name: "istio-sidecar-injector" }, webhooks });
    for (const name of ["checkout", "till"]) {
      api.put(`/api/v1/namespaces/${name}`, { metadata: { name, labels: { "istio-injection": "enabled" } } });
    }
    const shared =
      "istio-sidecar-injector also injects pods of 2 namespaces (checkout, till): Outrigger takes out what it adds";
    const first = await register("--phase", "cluster");
    expect([first.code, objects().length, aws.store.values()["/outrigger/dev/clusters/shop"]]).toEqual([
      2,
      1,
      undefined,
    ]);
    const audit = await register();
    expect([audit.code, audit.err]).toEqual([0, expect.stringContaining("takes out what it injected")]);
    expect(audit.err).toContain(`${shared}, in dry runs alone for now\n`);
    const before = objects();
    const asked = await register("--phase", "cluster");
    expect(asked.code).toBe(2);
    expect(asked.err).toContain(`${shared}\n`);
    expect(asked.err).toMatch(
      /the release of stable adds no istio-proxy, and istiod's istio-sidecar-injector selects the same pods, which would lose/,
    );
    expect(asked.err).toContain("or pass --replace-istio");
    expect(objects()).toEqual(before);
    expect(JSON.stringify(api.objects.get(CONFIGURATION))).toMatch(/phase\W+audit/);
    expect((await register("--phase", "cluster", "--replace-istio")).code).toBe(0);
    // A repair changes no new pod.
    expect((await register()).code).toBe(0);

    await aws.edit("templates/agent", agent.replace("name: agent", "name: istio-proxy"));
    expect((await run("publish", "--accept", "container-gone")).code).toBe(0);
    const proxy = await register("--phase", "enforce");
    expect([proxy.code, proxy.err]).toEqual([0, expect.stringContaining("remove it before the phase enforce")]);
    expect(proxy.err).not.toContain("adds no istio-proxy");
  });

  it("registers, shows, audits, switches off, repairs and unregisters a cluster", async () => {
    const registered = await register("--json");
    expect([registered.code, registered.err]).toEqual([0, expect.stringContaining("dry run in the namespace default")]);
    expect(JSON.parse(registered.out)).toMatchObject({ cluster: "shop", arn: ARN, settings: { phase: "audit" } });
    expect(record()).toMatchObject({ arn: ARN, kubernetesVersion: "1.33", revisions: { default: "stable" } });
    expect([...services.alarms.keys()]).toEqual(["outrigger-dev-no-calls-shop"]);

    const enforced = await register("--phase", "enforce", "--safety-net", "deny");
    expect([enforced.code, enforced.out]).toEqual([
      0,
      "shop is registered with dev: revision default, phase enforce\n",
    ]);

    const status = await run("check", "--section", "registration", "--cluster", "shop");
    expect([status.code, status.err]).toEqual([0, ""]);
    expect(status.out).toMatch(/^REVISION +TAGS +CHANNEL +PHASE\ndefault +- +stable +enforce\nNo difference\n$/);

    const kubeconfig = join(cwd, "kubeconfig");
    writeFileSync(kubeconfig, kubeconfigText());
    api.accepts = (token) => token === "static";
    const off = await run("off", "--kubeconfig", "kubeconfig");
    expect([off.code, off.err]).toEqual([0, ""]);
    expect(off.out).toContain("eks no longer waits for Outrigger\n");
    expect(JSON.stringify(api.objects.get(CONFIGURATION))).not.toContain('"Fail"');
    expect(JSON.stringify([...api.objects.values()])).not.toContain('"Deny"');
    api.accepts = isEksToken;

    const drifted = await run("check", "--section", "registration", "--cluster", "shop");
    expect(drifted.code).toBe(1);
    expect(drifted.out).toContain("off since");
    expect(drifted.out).toMatch(/webhooks\[object.*failurePolicy +Fail +Ignore/);
    expect(drifted.err).toContain("outrigger register --cluster shop to repair");

    expect((await register()).code).toBe(0);
    expect((await run("check", "--section", "registration", "--cluster", "shop")).code).toBe(0);

    const gone = await run("unregister", "--yes", "--cluster", "shop");
    expect([gone.code, objects(), record()]).toEqual([0, [], {}]);
    expect([...services.alarms]).toEqual([]);
    expect((await run("unregister", "--yes", "--cluster", "shop")).code).toBe(0);
  });

  function kubeconfigText(): string {
    return JSON.stringify({
      "current-context": "eks",
      contexts: [{ name: "eks", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: api.url, "certificate-authority-data": btoa(certificate.cert) } }],
      users: [{ name: "u", user: { token: "static" } }],
    });
  }

  it("lists, sets, moves and removes tags, and keeps everything else of the revisions", async () => {
    const tag = (...argv: readonly string[]) => run("tag", ...argv, "--cluster", "shop");
    await register("--revision", "1-29", "--phase", "cluster");
    await register("--revision", "1-30", "--phase", "enforce", "--tag", "next");
    expect((await tag("set", "prod", "--revision", "1-29")).code).toBe(0);
    expect((await tag("list")).out).toBe("TAG    REVISION\nnext   1-30\nprod   1-29\n");
    const moved = await tag("set", "prod", "--revision", "1-30");
    expect([moved.code, moved.out]).toEqual([0, "shop is registered with dev: revision 1-30, phase enforce\n"]);
    const listed = [
      { tag: "next", revision: "1-30" },
      { tag: "prod", revision: "1-30" },
    ];
    expect(JSON.parse((await tag("list", "--json")).out)).toEqual(listed);
    expect((await tag("remove", "next")).code).toBe(0);
    expect((await tag("remove", "prod")).code).toBe(0);
    expect((await tag("list")).out).toContain("No revision of the cluster has a tag");
    const status = await run("check", "--section", "registration", "--cluster", "shop");
    expect(status.out).toMatch(/\n1-29 +- +stable +cluster\n1-30 +- +stable +enforce\n/);
    for (const [words, message] of [
      [["set", "prod", "--revision", "1-31"], "revision 1-31 is not registered (there is 1-29, 1-30)"],
      [["set", "prod"], "name the revision with --revision"],
      [["remove", "gone"], "no revision has it (outrigger tag list)"],
      [["set"], "name it, as in outrigger tag set prod"],
    ] as const) {
      const { code, err } = await tag(...words);
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    }
  });

  it("has the API server call the inject function itself, by revision and token", async () => {
    const real = await startRealWebhook(certificate, aws.store);
    const flags = ["--url", real.url, "--cluster-id", "mesh-1", "--network", "net-1"];
    const made = await register(...flags, "--phase", "enforce");
    expect([made.code, made.err]).toEqual([0, expect.stringContaining("injects a pod that is created as a dry run")]);
    const tagged = await register(...flags, "--phase", "enforce", "--revision", "1-30", "--tag", "prod");
    expect([tagged.code, tagged.err]).toEqual([0, expect.stringContaining("injects a pod")]);
    const rotated = await run("token", "rotate", "--cluster", "shop", "--wait", "0");
    expect([rotated.code, liveTokens().length]).toEqual([0, 2]);
    const calls = real.lines.map((line) => JSON.parse(line)).filter(({ decision }) => decision === "injected");
    // Each registration from here and from the API server, the rotation from here.
    expect(calls).toHaveLength(5);
    expect(new Set(calls.map(({ cluster }) => cluster))).toEqual(new Set(["shop"]));
    await real.close();
  });

  it("forgets a cluster that it is not to ask, and says what stays there", async () => {
    await register("--phase", "cluster");
    const { code, out } = await run("unregister", "--yes", "--cluster", "shop", "--keep-objects");
    expect([code, objects().length, record()]).toEqual([0, 1, {}]);
    expect(out).toContain("What is in the cluster stays there, and its calls are rejected once the token is gone");
    expect(out).not.toContain("The cluster is gone");
  });

  it("removes the webhooks when off is asked to, and needs nothing of AWS", async () => {
    await register("--phase", "cluster", "--safety-net", "deny");
    vi.unstubAllEnvs();
    await services.close();
    writeFileSync(join(cwd, "kubeconfig"), kubeconfigText());
    api.accepts = () => true;
    const io = fakeIo({ cwd, env: { KUBECONFIG: "kubeconfig" } });
    expect(await main(["off", "--remove", "--yes"], io)).toBe(0);
    // Its mark, which has no webhooks.
    expect(objects()).toEqual([expect.stringMatching(/outrigger-off$/)]);
    services = await startFakeAwsServices();
  });

  it("runs the plugin of the kubeconfig when off needs a token", async () => {
    await register("--phase", "enforce");
    const credential = { kind: "ExecCredential", status: { token: "from-plugin" } };
    const apiVersion = "client.authentication.k8s.io/v1beta1";
    const exec = { apiVersion, command: process.execPath, args: ["-p", JSON.stringify(JSON.stringify(credential))] };
    const config = { ...JSON.parse(kubeconfigText()), users: [{ name: "u", user: { exec } }] };
    writeFileSync(join(cwd, "kubeconfig"), JSON.stringify(config));
    api.accepts = (token) => token === "from-plugin";
    expect((await run("off", "--kubeconfig", "kubeconfig")).code).toBe(0);
  });

  it("comes to the cluster in the role that is named", async () => {
    const seen: string[] = [];
    api.accepts = (token) => {
      const url = new URL(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
      seen.push(url.searchParams.get("X-Amz-Credential")?.split("/")[0] ?? "");
      return true;
    };
    const made = await register("--role-arn", "arn:aws:iam::999900001111:role/registrar");
    expect([made.code, services.eksCallers]).toEqual([0, ["ROLEregistrar"]]);
    expect(new Set(seen)).toEqual(new Set(["ROLEregistrar"]));
  });

  it("lists the pods that should have a sidecar", async () => {
    await register("--phase", "cluster");
    const pod = (name: string, metadata: object, spec: object = {}) =>
      api.put(`/api/v1/namespaces/default/pods/${name}`, {
        metadata: { name, namespace: "default", ...metadata },
        spec: { containers: [{ name: "app" }], ...spec },
      } as never);
    const labels = { "sidecar.istio.io/inject": "true" };
    pod("old", { labels, creationTimestamp: "2020-01-01T00:00:00Z" });
    pod("missed", { labels, creationTimestamp: "2030-01-01T00:00:00Z" });
    pod("host", { labels }, { hostNetwork: true });
    pod("unasked", {});
    pod("fine", { labels, annotations: { "sidecar.istio.io/status": "{}" } });
    const { code, out, err } = await run("pods", "--state", "missing", "--cluster", "shop");
    expect(code).toBe(1);
    expect(out).toContain("1 of 5 pods have a sidecar, 2 should have one\n");
    expect(out).toMatch(/default\/old +- +it is older than the webhook/);
    expect(out).toMatch(/default\/missed +- +the call failed and was ignored/);
    expect(err).toContain("2 pods of shop should have a sidecar and have none");
  });

  it("compares the mesh config that is served with istiod's", async () => {
    await register();
    const path = "/api/v1/namespaces/istio-system/configmaps/istio";
    api.put(path, {
      metadata: { name: "istio" },
      data: { mesh: "trustDomain: other.example\naccessLogFile: /dev/stdout\n" },
    });
    const { code, out } = await run("check", "--section", "registration", "--cluster", "shop", "--json");
    expect(code).toBe(1);
    const { drift } = JSON.parse(out);
    expect(drift).toContainEqual({
      place: "mesh config.trustDomain",
      expected: "other.example",
      actual: "cluster.local",
    });
    expect(JSON.stringify(drift)).not.toContain("accessLogFile");
  });

  it("makes a token for those who apply the webhook themselves, and retires it", async () => {
    const made = await run("token", "add", "--cluster", "shop", "--token-file", "token");
    expect([made.code, made.err]).toEqual([0, ""]);
    const token = readFileSync(join(cwd, "token"), "utf8").trim();
    expect(statSync(join(cwd, "token")).mode & 0o777).toBe(0o600);
    expect(liveTokens()).toEqual([digestOfToken(token)]);
    const printed = await run("print", "webhook", "--url", "https://x.test", "--token-file", "token");
    expect(printed.out).toContain(`url: https://x.test/t/${token}/inject`);
    expect((await run("token", "add", "--cluster", "shop", "--token-file", "token")).err).toContain("the file exists");
    expect((await run("token", "add", "--cluster", "shop", "--token-file", "second")).code).toBe(0);
    expect(liveTokens()).toHaveLength(2);
    expect((await run("token", "retire", "--cluster", "shop", "--token-file", "token")).code).toBe(0);
    expect(liveTokens()).not.toContain(digestOfToken(token));
  });

  it("leaves the old token live when rotating does not wait", async () => {
    await register();
    const [old] = liveTokens();
    const rotated = await run("token", "rotate", "--cluster", "shop", "--wait", "0");
    expect([rotated.code, liveTokens()]).toEqual([0, [old, expect.any(String)]]);
    expect(rotated.out).toContain("the old one is still live");
    expect(webhook.calls.at(-1)).toBe(liveTokens()[1]);
  });

  it.each([
    ["check", "--section", "registration"],
    ["pods", "--state", "missing"],
  ])("exits 3 when %s %s %s could not check", async (...words) => {
    api.accepts = () => false;
    const { code, err } = await run(...words, "--cluster", "shop");
    expect([code, err]).toEqual([3, expect.stringContaining("aws eks create-access-entry")]);
  });

  it.each([
    ["there is no such cluster", () => services.clusters.clear(), 'There is no cluster "shop" in eu-west-1'],
    ["there is no stack", () => services.outputs.clear(), "give the URL with --url"],
    [
      "EKS may not be asked",
      () => services.faults.set("eks", { status: 403, type: "AccessDeniedException" }),
      "the credentials do not allow eks:DescribeCluster",
    ],
    [
      "the credentials have expired",
      () => services.faults.set("eks", { status: 403, type: "ExpiredTokenException" }),
      "the AWS credentials have expired; sign in again",
    ],
    [
      "AWS does not know the credentials",
      () => services.faults.set("eks", { status: 403, type: "UnrecognizedClientException" }),
      "AWS does not know these credentials",
    ],
    [
      "the cluster does not know the principal",
      () => {
        api.accepts = () => false;
      },
      "aws eks create-access-entry",
    ],
    [
      "the endpoint is private",
      () =>
        services.clusters.set("shop", {
          ...services.clusters.get("shop"),
          endpoint: "https://127.0.0.1:1",
          resourcesVpcConfig: { endpointPublicAccess: false },
        }),
      "its endpoint is private",
    ],
    [
      "the cluster is being made",
      () => services.clusters.set("shop", { name: "shop", status: "CREATING" }),
      "EKS says that it is CREATING",
    ],
    [
      "the CA is another one",
      () =>
        services.clusters.set("shop", { ...services.clusters.get("shop"), certificateAuthority: { data: btoa("x") } }),
      "not signed by the expected authority; another server answers there, or a proxy that opens TLS",
    ],
    [
      "the canary fails",
      () => services.alarms.set("outrigger-dev-canary", "ALARM"),
      "docs/runbooks/endpoint.md#canary",
    ],
  ])("exits 3, says why and leaves nothing when %s", async (_what, prepare, message) => {
    prepare();
    const { code, out, err } = await register("--phase", "cluster");
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain(message);
    expect(err).not.toContain("bug");
    expect([objects(), record()]).toEqual([[], {}]);
  });

  it("gives the cluster the certificates of a file and never its private key", async () => {
    writeFileSync(join(cwd, "both.pem"), `${certificate.key}${certificate.cert}`);
    const asked = ["--ca-file", "both.pem", "--reinvocation-policy", "Never"];
    const { code, out } = await run("print", "webhook", "--url", "https://x", ...asked);
    expect(code).toBe(0);
    expect(out).toContain("reinvocationPolicy: Never");
    const bundle = /caBundle: (\S+)/.exec(out)?.[1] ?? "";
    expect(Buffer.from(bundle, "base64").toString()).toBe(`${certificate.cert.trim()}\n`);
  });

  it.each([
    [["register"], "required option '--cluster <name>' not specified"],
    [["register", "--cluster", "a b"], "A cluster's name has at most"],
    [["register", "--cluster", "shop", "--phase", "all"], "Allowed choices are audit"],
    [["register", "--cluster", "shop", "--timeout", "31"], "1 to 30"],
    [["print", "webhook"], "give it with --url"],
    [["print", "webhook", "--url", "http://x"], "an API server calls https:// only"],
    [["print", "webhook", "--url", "https://x", "--token-file", "gone"], "Cannot read gone"],
    [["print", "webhook", "--url", "https://x", "--ca-file", "gone.pem"], "the file does not exist"],
    [
      ["print", "webhook", "--url", "https://x", "--ca-file", "key.pem"],
      "Cannot use key.pem: it has no PEM certificate",
    ],
    [["token", "rotate", "--cluster", "shop", "--wait", "241"], "0 to 240"],
  ])("exits 2 and names the way out when the command line is %j", async (argv, message) => {
    const { code, err } = await run(...argv);
    expect(code).toBe(2);
    expect(err.toLowerCase()).toContain(message.toLowerCase());
  });
});
