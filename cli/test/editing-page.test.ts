// Runs docs/editing.md from top to bottom, as a reader would: what it says commands print, they print. Digests and times
// are others each time, columns as wide as what is in them, and `…` is any lines.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { pattern, settled, stepsOf, wordsOf } from "../../test/cli/page-steps.ts";

/** Small, because it is compiled with every step; what the page shows of pods is as with the shipped tree. */
const SHIPPED_TREE = {
  ...SHIPPED,
  "templates/sidecar": "spec:\n  containers:\n  - name: istio-proxy\n    args: [proxy]\n    {{> proxy-image}}\n",
  "partials/proxy-image": "image: {{values.global.hub}}/proxyv2:1.31.0\n",
};
const POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";

const STEPS = stepsOf("editing.md");

describe("docs/editing.md", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeAll(async () => {
    aws = fakeAws({}, SHIPPED_TREE);
    cli = fakeCli(aws.connect, SHIPPED_TREE);
    cli.write("pod.yaml", POD);
    const token = {
      sha256: "0123456789abcdef".repeat(4),
      created: new Date(Date.now() - 5 * 86_400_000).toISOString(),
    };
    const record = { revisions: { default: "stable" }, arn: "", kubernetesVersion: "1.33", tokens: [token] };
    await aws.put(aws.layout.cluster("shop"), JSON.stringify(record));
    await cli.run("publish");
  });
  afterAll(() => cli.remove("."));

  it("prints what it says", { timeout: 120_000 }, async () => {
    expect(STEPS.length).toBeGreaterThan(9);
    for (const { command, shown } of STEPS) {
      const printed = await perform(command, shown);
      expect(`$ ${command}\n${settled(printed ?? "")}`).toMatch(
        pattern(`$ ${command}\n${settled(printed === undefined ? "" : shown)}`),
      );
    }
  });

  /** Returns what a command prints, or nothing for commands of other tools. */
  async function perform(command: string, shown: string): Promise<string | undefined> {
    const file = /^cat > (\S+) <<END$/.exec(command)?.[1];
    if (file !== undefined) {
      cli.write(file, shown.slice(0, shown.indexOf("END\n")));
      return undefined;
    }
    const [, name, value] = /^aws ssm put-parameter .*--name (\S+) --value '(.*)'$/.exec(command) ?? [];
    const gone = /^aws ssm delete-parameter --name (\S+)$/.exec(command)?.[1];
    if (name !== undefined && value !== undefined) await aws.put(name, value);
    else if (gone !== undefined) await aws.store.deleteParameters([gone]);
    else return run(command);
    await publishEdits();
    return undefined;
  }

  async function run(command: string): Promise<string> {
    const [tool, ...words] = wordsOf(command);
    expect(tool, command).toBe("outrigger");
    const { code, out, err } = await cli.run(words[0] as string, ...words.slice(1));
    if (words[0] === "push") await publishEdits();
    return `${out}${err}${code === 0 ? "" : `[exit ${code}]\n`}`;
  }

  /** Does what EventBridge has the publish function do after an edit. */
  async function publishEdits(): Promise<void> {
    const { askPublisher } = await aws.connect({ stage: "dev", layout: aws.layout, publisher: "" });
    const cause = { by: "a user in the console", why: "" };
    await askPublisher({ action: "publish", automatic: true, cause }).catch(() => undefined);
  }
});
