import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";

const ROLE = "arn:aws:iam::210987654321:role/eks";
const PLACE = "--account 123456789012 --region eu-west-1";

describe("outrigger print policy", () => {
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    cli = fakeCli(fakeAws().connect);
  });
  afterEach(() => cli.remove("."));

  const policy = async (line: string) => {
    const { code, out, err } = await cli.run(`print policy ${line}`);
    expect(code, err).toBe(0);
    return { text: out, err, statements: JSON.parse(out).Statement as readonly { readonly Sid: string }[] };
  };

  it("is for one deployment, in one account and Region", async () => {
    const { text, err, statements } = await policy(`publisher ${PLACE} --deployment live`);
    expect(statements.length).toBeGreaterThan(0);
    expect(text).toContain("arn:aws:ssm:eu-west-1:123456789012:parameter/outrigger/live");
    expect(err).toBe("");
    expect((await policy(`publisher ${PLACE}`)).text).toContain("parameter/outrigger/dev");
  });

  it("takes the Region of the environment, and its partition, and needs one", async () => {
    const line = "print policy publisher --account 123456789012";
    const { out } = await cli.runIn({ AWS_REGION: "cn-north-1" }, line);
    expect(out).toContain("arn:aws-cn:ssm:cn-north-1:");
    expect(await cli.runIn({ HOME: "/nowhere" }, line)).toMatchObject({
      code: 2,
      err: "Cannot write a policy without a Region: give it with --region, or set AWS_REGION\n",
    });
  });

  it("has the role that a registrar assumes or a deployer passes, and that role's own policy", async () => {
    const own = await policy(`registrar ${PLACE}`);
    const other = await policy(`registrar ${PLACE} --role-arn ${ROLE}`);
    expect([own.text.includes(ROLE), other.text.includes(ROLE)]).toEqual([false, true]);
    const role = await policy(`registrar-role ${PLACE} --role-arn ${ROLE}`);
    expect(role.text).not.toBe(other.text);
    expect(role.text).toContain("eks:");
    expect((await policy(`deployer ${PLACE} --role-arn ${ROLE}`)).text).toContain("iam:PassRole");
  });

  it("refuses options that a kind has no use for, and a role's policy without the role", async () => {
    const refused = async (line: string) => {
      const { code, out, err } = await cli.run(`print policy ${line} ${PLACE}`);
      expect([code, out]).toEqual([2, ""]);
      return err;
    };
    expect(await refused(`editor --role-arn ${ROLE}`)).toBe(
      "Cannot use --role-arn with editor: only a registrar and a deployer have a role\n",
    );
    expect(await refused("registrar-role")).toBe(
      "Cannot print registrar-role without the role: give it with --role-arn\n",
    );
    const boundary = "--permissions-boundary arn:aws:iam::123456789012:policy/bound";
    expect(await refused(`deployer ${boundary}`)).toBe(
      "Cannot use --permissions-boundary here: it is for deployer-role\n",
    );
    expect(await refused("deployer-role 99")).toMatch(/^Cannot print part 99: the policy has \d\n$/);
    expect(await refused("deployer-role 0")).toMatch(/^Cannot print part 0: /);
    expect(await refused("deployer --permissions-boundary bound")).toContain("the ARN of an IAM policy");
    expect(await refused("king")).toContain("king");
    expect(await cli.run("print policy editor --account 12 --region eu-west-1")).toMatchObject({
      code: 2,
      err: expect.stringContaining("a number of 12 digits"),
    });
  });

  it("bounds the roles that a deployer's role makes", async () => {
    const bound = "arn:aws:iam::123456789012:policy/bound";
    const { code, err } = await cli.run(`print policy deployer-role bound ${PLACE} --permissions-boundary ${bound}`);
    expect(code, err).toBe(0);
    const text = ["1", "2"].map((part) => cli.read(`bound/deployer-role-${part}.json`)).join("");
    expect(text).toContain(bound);
  });

  it("names the bucket that is given", async () => {
    expect((await policy(`publisher ${PLACE} --bucket my-releases`)).text).toContain("arn:aws:s3:::my-releases");
  });

  it("is printed in parts where it is too long for one, or written into a directory", async () => {
    const first = await policy(`deployer-role ${PLACE}`);
    const parts = Number(/^Part 1 of (\d): a role needs all of them/.exec(first.err)?.[1]);
    expect(parts).toBeGreaterThan(1);
    const second = await policy(`deployer-role 2 ${PLACE}`);
    expect(second.err).toMatch(new RegExp(`^Part 2 of ${parts}: `));
    expect(second.statements).not.toEqual(first.statements);
    const { code, out } = await cli.run(`print policy deployer-role policies/all ${PLACE}`);
    const files = Array.from({ length: parts }, (_, at) => `policies/all/deployer-role-${at + 1}.json`);
    expect([code, out]).toEqual([0, files.map((file) => `Wrote ${join(cli.cwd, file)}\n`).join("")]);
    expect(cli.read(files[0] as string)).toBe(first.text);
    expect(cli.read(files[1] as string)).toBe(second.text);
  });

  it("says what bounds the templates of those who write them, by the settings of the stage", async () => {
    const said = async (settings: string, kind = "editor") => {
      cli.write("outrigger.live.yml", settings);
      return (await policy(`${kind} ${PLACE} --deployment live`)).err;
    };
    expect(await said("guardrails: baseline,image:a/*\n")).toBe(
      "By outrigger.live.yml, templates may add to pods what the guardrails admit: baseline,image:a/*\n",
    );
    expect(await said("guardrails: off\n")).toBe("By outrigger.live.yml, templates may add to pods anything\n");
    expect(await said("guardrails: ''\n", "registrar")).toContain("anything");
    expect(await said("alarms: silent\n")).toBe("");
    expect(await said("guardrails: baseline\n", "oncall")).toBe("");
    expect((await policy(`editor ${PLACE} --deployment other`)).err).toBe("");
  });
});
