import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { CALLER, fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { AwsOptions } from "../options/aws-options.ts";
import type { AwsConnection } from "./aws-connection.ts";
import { causeOf, openDeployment } from "./deployment.ts";

const DONE = { ok: true, message: "done", seq: 1, changed: true, warnings: [] } as const;

/**
 * An account with deployments of some prefixes, and what its publish function is asked.
 *
 * @param prefixes undefined where they may not be listed
 */
function account(prefixes: readonly string[] | undefined, connection: Partial<AwsConnection> = {}) {
  const aws = fakeAws();
  const asked: object[] = [];
  let listed = 0;
  const open = (options: AwsOptions = {}, more: { env?: Record<string, string>; mayBeNew?: boolean } = {}) => {
    const io = fakeIo({
      env: more.env ?? {},
      connect: async (target) => ({
        ...(await aws.connect(target)),
        deployments: async () => {
          listed += 1;
          return prefixes;
        },
        askPublisher: async (request) => {
          asked.push(request);
          return DONE;
        },
        ...connection,
      }),
    });
    return openDeployment(options, io, { mayBeNew: more.mayBeNew ?? false });
  };
  return { aws, asked, open, listed: () => listed };
}

const stageOf = async (opened: ReturnType<ReturnType<typeof account>["open"]>) => (await opened).target.stage;
const refused = (message: string, path?: string) => expect.objectContaining({ code: "usage", message, path });

describe("openDeployment() without a name", () => {
  it("opens dev where it is the only one, or the list may not be read and dev is published", async () => {
    expect(await stageOf(account(["/outrigger/dev"]).open())).toBe("dev");
    const { aws, open } = account(undefined);
    await aws.put(aws.layout.head, "x");
    expect(await stageOf(open())).toBe("dev");
  });

  it.each([
    [["/outrigger/prod", "/outrigger/dev"], "dev and prod"],
    [["/team/one", "/outrigger/b", "/outrigger/a/c"], "/outrigger/a/c, /team/one and b"],
  ])("refuses to choose among %j", async (prefixes, names) => {
    await expect(account(prefixes).open()).rejects.toEqual(
      refused(`Cannot tell which deployment is meant: there are ${names}; use --deployment, or set OUTRIGGER_STAGE`),
    );
  });

  it.each<[readonly string[] | undefined, string]>([
    [undefined, ""],
    [[], "; there is none"],
    [["/outrigger/prod"], "; there is prod"],
  ])("refuses dev where nothing is published there and the account has %j", async (prefixes, known) => {
    const message = `Cannot use deployment dev: nothing is published below /outrigger/dev in this account and Region${known}; correct --deployment, --prefix or --region, or run "outrigger deploy --stage dev" first`;
    await expect(account(prefixes).open()).rejects.toEqual(refused(message, "/outrigger/dev"));
  });
});

describe("openDeployment() with a name", () => {
  it("does not list the deployments where something is published below the prefix", async () => {
    for (const name of ["head", "part"] as const) {
      const { aws, open, listed } = account(["/outrigger/prod", "/outrigger/dev"]);
      await aws.put(name === "head" ? aws.layout.head : aws.layout.mirrorPart(0), "x");
      expect(await stageOf(open({ deployment: "dev" }))).toBe("dev");
      expect(await stageOf(open({}, { env: { OUTRIGGER_STAGE: "dev" } }))).toBe("dev");
      expect(await stageOf(open({ prefix: "/outrigger/dev" }))).toBe("dev");
      expect(listed()).toBe(0);
    }
  });

  it("takes one that is listed and has lost what was published, and names those that exist for another", async () => {
    const { open } = account(["/outrigger/prod", "/outrigger/dev"]);
    expect(await stageOf(open({ deployment: "dev" }))).toBe("dev");
    await expect(open({ deployment: "test" })).rejects.toThrow(
      "/outrigger/test in this account and Region; there are dev and prod; correct",
    );
  });

  it("leaves what may not be read to the command that reads it, and no other fault", async () => {
    const failing = (error: unknown) => {
      const { store } = fakeAws();
      const getParameters = () => Promise.reject(error);
      return account([], { store: { ...store, getParameters } }).open({ deployment: "dev" });
    };
    expect(await stageOf(failing(new OutriggerError("store-denied", "no")))).toBe("dev");
    expect(await stageOf(failing(new OutriggerError("aws-denied", "no")))).toBe("dev");
    await expect(failing(new OutriggerError("aws-unavailable", "away"))).rejects.toThrow("away");
  });

  it("takes one that does not exist yet for a command that makes it", async () => {
    expect(await stageOf(account([]).open({ deployment: "new" }, { mayBeNew: true }))).toBe("new");
  });

  it.each<[AwsOptions, string | undefined]>([
    [{ deployment: "dev" }, undefined],
    [{ prefix: "/outrigger/dev/" }, undefined],
    [{ deployment: "dev", publisher: "mine" }, "/outrigger/dev"],
    [{ deployment: "dev", prefix: "/team/one" }, "/team/one"],
    [{ prefix: "/team/one" }, "/team/one"],
  ])("asks the function of %j with the prefix that it does not go by itself", async (options, prefix) => {
    const { open, asked } = account(undefined);
    const deployment = await open(options, { mayBeNew: true });
    await deployment.askPublisher({ action: "publish", cause: { by: "ann", why: "" } });
    expect(asked).toEqual([
      { action: "publish", cause: { by: "ann", why: "" }, ...(prefix !== undefined && { prefix }) },
    ]);
  });
});

it("causeOf() names who asks, and why where that is said", async () => {
  const deployment = await account(["/outrigger/dev"]).open();
  expect(await causeOf(deployment, "because")).toEqual({ by: CALLER, why: "because" });
  expect(await causeOf(deployment, undefined)).toEqual({ by: CALLER, why: "" });
});
