// A team's own sidecar with no mesh: from the project that is written to a release that is served, without anything of Istio on the way.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";

describe("a deployment with mesh: none", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    // What functions/publish gives the publisher with that setting.
    aws = fakeAws({}, { config: "mesh: none\n" });
    cli = fakeCli(aws.connect);
  });
  afterEach(() => cli.remove("."));

  it("serves an empty release first, takes the project's tree without asking, and names no Istio", async () => {
    const first = await cli.run("publish");
    expect([first.code, first.err]).toEqual([0, ""]);
    const pod =
      "kind: Pod\nmetadata: {name: web, labels: {logs: 'yes'} }\nspec: {containers: [{name: web, image: web}]}\n";
    cli.write("pod.yaml", pod);
    expect((await cli.run("explain -f pod.yaml --from stable")).out).toContain("no-template");
    await cli.run("init own --without-istio");
    const published = await cli.run("publish --dir own/my-templates");
    expect(published).toMatchObject({ code: 0 });
    const explained = await cli.run("explain -f pod.yaml --from stable");
    expect(explained.out).toContain("log-agent, as labels.logs is yes");
    const printed = [first, published, explained].map(({ out, err }) => out + err).join("");
    // The annotation that marks an injected pod has Istio's name.
    expect(printed.replaceAll("sidecar.istio.io/status", "")).not.toMatch(/istio/i);
  });

  it("has a label of its own in what is made, explained and printed, and nothing of Istio's in a pod", async () => {
    const key = "sidecars.example.com/inject";
    expect((await cli.run(`init own --injection-label ${key}`)).err).toContain("without --without-istio");
    expect((await cli.run("init own --without-istio --injection-label sidecar.istio.io/inject")).err).toContain(
      "is Istio's",
    );
    const made = await cli.run(`init own --without-istio --injection-label ${key}`);
    expect(made).toMatchObject({ code: 0 });
    expect(cli.read("own/README.md")).toContain(`\nkubectl label namespace NAMESPACE ${key}=true\n`);
    expect((await cli.run("publish --dir own/my-templates")).code).toBe(0);
    const pod = (labels: string) =>
      `kind: Pod\nmetadata: {name: web, labels: ${labels} }\nspec: {containers: [{name: web, image: web}]}\n`;
    cli.write("pod.yaml", pod(`{logs: 'yes', ${key}: 'true'}`));
    cli.write("out.yaml", pod(`{logs: 'yes', ${key}: 'false'}`));
    const asked = await cli.run("explain -f pod.yaml --from stable --namespace-label team=a");
    expect(asked.out).toContain(`the pod asks for it with ${key}`);
    expect(asked.out).toContain(`for pods labelled ${key}`);
    const out = await cli.run("explain -f out.yaml --from stable --namespace-label team=a");
    expect(out.out).toContain(`the pod opts out with ${key}: "false"`);
    const injected = await cli.run("inject -f pod.yaml --from stable");
    expect(injected.out).toContain("outrigger/status");
    const webhook = await cli.run(
      `print webhook --url https://hook.test --injection-label ${key} --safety-net deny --phase cluster`,
    );
    expect(webhook.out).toContain(`key: ${key}`);
    for (const { out: printed, err } of [made, asked, out, injected, webhook])
      expect(printed + err).not.toMatch(/istio/i);
  });
});
