import { OutriggerError } from "@outrigger/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CALLER, fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";
import { REJECTED_OVERLAYS } from "../../../test/support/wrong-overlays.ts";

const hub = (name: string) => `global:\n  hub: registry.example/${name}\n`;

describe("outrigger publish, releases, channel, promote, rollback, pin and unpin", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  let first = "";
  beforeEach(() => {
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
  });
  afterEach(() => cli.remove("."));

  async function publish(name: string, ...more: readonly string[]): Promise<string> {
    await aws.edit("values/10-mine", hub(name));
    return (await cli.json("publish -m", name, ...more)).release;
  }

  it("publishes the contents of Parameter Store", async () => {
    await aws.edit("values/10-mine", hub("one"));
    const { code, out, err } = await cli.run("publish -m", "First one");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^stable serves [0-9a-f]{12} now \(a new channel\)\n$/);
    expect(aws.asked[0]).toEqual({
      action: "publish",
      id: expect.any(String),
      cause: { by: CALLER, why: "First one" },
    });
  });

  it("says why and where, exits 1 and leaves the channel alone when the tree is refused", async () => {
    const good = await publish("one");
    await aws.edit("partials/proxy-image", "image: <%nonsense 1%>\n");
    const { code, out, err } = await cli.run("publish");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(
      /^Cannot compile partial "proxy-image": helper "nonsense" is not known; "outrigger print helpers" lists those that are \(line 1, column 8\)/,
    );
    expect(err).toContain("/outrigger/dev/source/partials/proxy-image");
    expect((await cli.json("channel")).stable.release).toBe(good);
  });

  it("refuses every overlay that an API server rejects, all in one run, and serves what it served", async () => {
    const good = await publish("one");
    const before = servedValues();
    const pod = "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";
    cli.write("bad/samples/web.yaml", pod);
    for (const [at, { overlay }] of REJECTED_OVERLAYS.entries()) cli.write(`bad/templates/bad-${at}.hbs`, overlay);
    const { code, out, err } = await cli.run("publish --dir bad --force");
    expect([code, out]).toEqual([1, expect.not.stringContaining("serves")]);
    for (const [at, { what, line, says }] of REJECTED_OVERLAYS.entries()) {
      const found = (out + err).split("\n").filter((text) => text.startsWith(`templates/bad-${at}.hbs:${line}:`));
      expect(
        found.some((text) => text.includes(says)),
        what,
      ).toBe(true);
    }
    expect(err).toContain(`Cannot push: the tree has ${REJECTED_OVERLAYS.length} errors; fix the errors above\n`);
    expect(servedValues()).toEqual(before);
    expect((await cli.json("channel")).stable.release).toBe(good);
  });

  /** Everything in Parameter Store but what people edit. */
  function servedValues() {
    return Object.entries(aws.store.values()).filter(([name]) => !name.includes("/source/"));
  }

  it("refuses them in Parameter Store as well", async () => {
    const good = await publish("one");
    for (const [at, { overlay }] of REJECTED_OVERLAYS.entries()) await aws.edit(`templates/bad-${at}`, overlay);
    const before = servedValues();
    const { code, err } = await cli.run("publish");
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`${REJECTED_OVERLAYS.length - 1} more errors ("outrigger lint source" lists all)`),
    ]);
    expect(servedValues()).toEqual(before);
    expect((await cli.json("channel")).stable.release).toBe(good);
  });

  it("pushes a directory first, replacing whatever was pushed before", async () => {
    cli.write("one/values/10-mine.yaml", hub("one"));
    cli.write("two/values/20-mine.yaml", hub("two"));
    expect((await cli.run("publish --dir one -m first")).out).toContain("stable serves ");
    expect((await cli.run("publish --dir two -m second")).code).toBe(0);
    expect(aws.stored("values/10-mine")).toBeUndefined();
    expect((await cli.run("channel stable")).out).toMatch(/publish .* second .*\n.* publish .* first /);
  });

  it("pushes no directory over what was edited in Parameter Store since, unless it is forced", async () => {
    cli.write("one/values/10-mine.yaml", hub("one"));
    await cli.run("publish --dir one");
    await aws.edit("mesh", "enableTracing: true\n");
    const { code, err } = await cli.run("publish --dir one");
    expect(code).toBe(1);
    expect(err).toContain("-enableTracing: true\n");
    expect(err).toContain("Cannot push mesh: changed in /outrigger/dev/source since the last push, as shown above");
    expect((await cli.run("publish --dir one --force")).code).toBe(0);
    expect(aws.stored("mesh")).toBeUndefined();
  });

  it("writes nothing when it is a dry run", async () => {
    cli.write("one/values/10-mine.yaml", hub("one"));
    expect((await cli.run("publish --dir one --dry-run")).out).toContain("Would push 1 change");
    expect((await cli.run("publish --dry-run")).out).toMatch(/would serve .* \(dry run: nothing was written\)\n$/);
    expect(aws.store.values()).toEqual({});
  });

  it("needs a directory to force anything", async () => {
    expect(await cli.run("publish --force")).toEqual({
      code: 2,
      out: "",
      err: "Cannot use --force without --dir: there is nothing that it would overwrite\n",
    });
  });

  it("lists channels and releases, with who, why and from which edits", async () => {
    expect((await cli.run("releases")).out).toContain(
      "There are no releases in the bucket below outrigger/dev/objects/releases/",
    );
    expect((await cli.run("channel")).out).toContain("There are no channels below /outrigger/dev/channels");
    const one = await publish("one");
    const two = await publish("two");
    const { out } = await cli.run("releases");
    expect(out).toMatch(/^RELEASE +CHANNELS +AGE +BY +WHY\n/);
    expect(out).toMatch(new RegExp(`^${one} +\\d+s +${CALLER} +one$`, "m"));
    expect(out).toMatch(new RegExp(`^${two} +stable +\\d+s +${CALLER} +two$`, "m"));
    expect((await cli.run("channel")).out).toMatch(
      new RegExp(
        `^CHANNEL .*\nstable +${two} +no +\\d+s +${CALLER} +two\n\nEdits go to stable\n\nUsed: (\\d+) characters, (\\d+) free\n$`,
      ),
    );
    const history = (await cli.run("channel stable")).out;
    expect(history).toContain(`stable serves release ${two}\n`);
    expect(history).toMatch(new RegExp(`publish +${two} +${CALLER} +two +values/10-mine@2 +image-registry\n`));
  });

  it("says that the source tree is not what the channel was made of, until it is published", async () => {
    const one = await publish("one");
    expect((await cli.run("channel")).err).toBe("");
    await aws.edit("values/10-mine", hub("two"));
    expect((await cli.run("channel")).err).toMatch(
      /^Source differs: \/outrigger\/dev\/source is not what stable was made of/,
    );
    await cli.run(`pin stable ${one}`);
    expect((await cli.run("channel")).err).toContain("(stable is pinned to");
    await cli.run("publish --unpin");
    expect((await cli.run("channel")).err).toBe("");
    await aws.edit("values/10-mine", `# a comment\n${hub("two")}`);
    await cli.run("publish");
    expect((await cli.run("channel")).err).toBe("");
  });

  it("promotes one channel's release to another", async () => {
    const one = await publish("one", "--channel", "canary");
    expect((await cli.run("promote canary stable -m", "A quiet week")).out).toBe(
      `stable serves ${one} now (a new channel)\n`,
    );
    const { code, err } = await cli.run("promote gone stable");
    expect([code, err]).toEqual([3, expect.stringContaining("channels are canary, stable")]);
  });

  it("leaves a pinned channel alone, with an exit code of its own, in every command of a pipeline", async () => {
    const one = await publish("one");
    await publish("two");
    await publish("three", "--channel", "canary");
    await cli.run("rollback stable -m", "Pods do not start");
    cli.write("tree/values/10-mine.yaml", hub("three"));
    const before = aws.store.values();
    for (const line of [
      "publish --dir tree --force",
      "publish",
      "promote canary stable",
      "push tree --force --publish",
    ]) {
      const { code, err } = await cli.run(line);
      expect([line, code]).toEqual([line, 3]);
      expect(err).toContain(` is pinned to ${one} (rollback by ${CALLER}`);
      expect(err).toContain(": Pods do not start)");
    }
    expect(aws.store.values()).toEqual(before);
    expect((await cli.run("publish --dir tree --force --unpin")).code).toBe(0);
    expect((await cli.json("channel")).stable.pinned).toBe(false);
  });

  it("moves the channel once when two people roll it back at the same time", async () => {
    const [one] = [await publish("one"), await publish("two"), await publish("three")];
    const two = (await cli.json("channel stable")).history[1].release;
    const ran = await Promise.all([cli.run("rollback stable"), cli.run("rollback stable")]);
    expect(ran.map(({ code }) => code)).toEqual([0, 0]);
    expect((await cli.json("channel")).stable).toMatchObject({ release: two, pinned: true });
    expect(two).not.toBe(one);
  });

  it("goes back further, to a named release, and only from the release that is expected", async () => {
    const [one, two, three] = [await publish("one"), await publish("two"), await publish("three")];
    const refused = await cli.run(`rollback stable --if-serving ${two}`);
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining(`it serves ${three} (publish by ${CALLER}`),
    ]);
    expect((await cli.run("rollback stable 2")).out).toContain(`stable serves ${one} now (${three} before)`);
    expect((await cli.run(`rollback stable ${two} --if-serving ${one}`)).code).toBe(0);
    expect((await cli.run(`rollback stable ${two} 1`)).code).toBe(2);
    expect((await cli.run("rollback stable 5")).err).toContain("Cannot roll back stable: its history holds no");
    expect((await cli.json("channel")).stable.release).toBe(two);
  });

  it("sends the same request again when a command that got no answer is run again", async () => {
    const [one, two] = [await publish("one"), await publish("two"), await publish("three")];
    let isLost = true;
    const user = fakeCli(async (target) => {
      const connection = await aws.connect(target);
      const askPublisher: typeof connection.askPublisher = async (request) => {
        const answer = await connection.askPublisher(request);
        if (isLost && request.dryRun !== true)
          throw new OutriggerError("aws-unavailable", "Cannot call the function: socket hang up");
        return answer;
      };
      return { ...connection, askPublisher };
    }, SHIPPED);
    const env = { XDG_STATE_HOME: user.cwd };
    expect((await user.runIn(env, "rollback stable")).code).toBe(3);
    isLost = false;
    const again = await user.runIn(env, "rollback stable");
    expect(again.err).toContain("its request is sent again");
    expect(again.out).toMatch(new RegExp(`^stable serves ${two} now`));
    expect((await cli.json("channel")).stable.release).toBe(two);
    expect((await user.runIn(env, "rollback stable")).out).toContain(`stable serves ${one} now`);
    user.remove(".");
  });

  it("empties no source tree because a directory holds none, unless it is forced", async () => {
    await publish("one");
    cli.write("empty/README.md", "nothing");
    const { code, err } = await cli.run("publish --dir empty");
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("it holds no source tree, and /outrigger/dev/source would be"),
    ]);
    expect(err).toContain("(values/10-mine)");
    expect(aws.stored("values/10-mine")).toBe(hub("one"));
    const held = await cli.run("publish --dir empty --force");
    expect([held.code, held.err]).toEqual([3, expect.stringContaining("outrigger publish --accept entries-gone")]);
    expect((await cli.run("publish --dir empty --force --accept entries-gone")).code).toBe(0);
    expect(aws.stored("values/10-mine")).toBeUndefined();
  });

  it("accepts the edit that was seen, and no later one with the same effect", async () => {
    const good = await publish("one");
    await aws.edit("config", "policy: disabled\n");
    const { err } = await cli.run("publish");
    const [, command = ""] =
      /run "outrigger (publish --accept sidecar-gone@[0-9a-f]{12} --if-serving [0-9a-f]{12})"/.exec(err) ?? [];
    await aws.edit("values/10-mine", hub("evil"));
    const since = await cli.run(command);
    expect([since.code, since.out]).toEqual([1, ""]);
    expect(since.err).toContain("because it was edited since");
    expect((await cli.json("channel")).stable.release).toBe(good);
    await aws.edit("values/10-mine", hub("one"));
    const accepted = await cli.run(command);
    expect(accepted).toMatchObject({ code: 0, out: expect.stringMatching(/^stable serves [0-9a-f]{12} now/) });
    expect(accepted.err).toMatch(
      new RegExp(
        `^What changes for pods:\n {2}sidecar-gone .*\nAccepted: stable would serve [0-9a-f]{12} \\(${good} before\\); .*: sidecar-gone\n$`,
      ),
    );
  });

  /** Publishes a directory, and returns its release. Then an edit of it would be held. */
  const publishHeld = async () => {
    cli.write("held/values/10-mine.yaml", hub("one"));
    await cli.run("publish --dir held");
    cli.write("held/config.yaml", "policy: disabled\n");
    return (await cli.json("channel")).stable.release as string;
  };

  it("says what a held directory has written, and what accepts it", async () => {
    const good = await publishHeld();
    const { code, out, err } = await cli.run("publish --dir held");
    expect([code, out]).toEqual([3, expect.stringContaining("Pushed 1 change")]);
    expect(err).toMatch(
      /sidecar-gone@[0-9a-f]{12} --if-serving [0-9a-f]{12}".*; 1 change was written to \/outrigger\/dev\/source before \(config\) and waits there: what is served is as before\n$/,
    );
    expect(aws.stored("config")).toBe("policy: disabled\n");
    expect((await cli.json("channel")).stable.release).toBe(good);
    const again = await cli.run("publish --dir held");
    expect([again.code, again.err]).toEqual([3, expect.not.stringContaining("written")]);
  });

  it("accepts a directory by the one command that its dry run prints, and nothing where either release is another", async () => {
    await publishHeld();
    const dry = await cli.run("publish --dir held --dry-run");
    const [, command = ""] = /then run "outrigger (publish --dir held --accept [^"]+)"/.exec(dry.err) ?? [];
    expect([dry.code, command]).toEqual([
      3,
      expect.stringMatching(/sidecar-gone@[0-9a-f]{12} --if-serving [0-9a-f]{12}$/),
    ]);
    expect(dry.err).toMatch(/What changes for pods:\n {2}sidecar-gone \(samples\//);
    expect(aws.stored("config")).toBeUndefined();
    expect((await cli.run(`${command} --dry-run`)).code).toBe(0);

    cli.write("held/values/90-more.yaml", "global: {tag: 1.31.1}\n");
    for (const each of [`${command} --dry-run`, command]) {
      const other = await cli.run(each);
      expect([other.code, other.err]).toEqual([1, expect.stringMatching(/was accepted|because it was edited since/)]);
    }
    cli.remove("held/values/90-more.yaml");
    const accepted = await cli.run(command);
    expect([accepted.code, accepted.out]).toEqual([0, expect.stringContaining("what changes for pods: sidecar-gone")]);
  });

  it("accepts no directory on a channel that has moved since its dry run", async () => {
    await publishHeld();
    const dry = await cli.run("publish --dir held --dry-run");
    const [, command = ""] = /then run "outrigger (publish --dir held --accept [^"]+)"/.exec(dry.err) ?? [];
    const two = await publish("two");
    for (const each of [`${command} --force --dry-run`, `${command} --force`]) {
      const { code, err } = await cli.run(each);
      expect([code, err]).toEqual([
        expect.any(Number),
        expect.stringMatching(/Cannot (publish to|move) stable: it serves/),
      ]);
      expect(code).not.toBe(0);
    }
    expect((await cli.json("channel")).stable.release).toBe(two);
  });

  it("says what a promotion and a rollback do to pods before they are made, and promotes what is accepted", async () => {
    const good = await publish("one");
    await aws.edit("config", "policy: disabled\n");
    await cli.run("publish --channel canary");
    const refused = await cli.run("promote canary stable");
    const [, command = ""] = /then run "outrigger (promote canary stable --accept [^"]+)"/.exec(refused.err) ?? [];
    expect([refused.code, command]).toEqual([
      3,
      expect.stringMatching(`sidecar-gone@[0-9a-f]{12} --if-serving ${good}$`),
    ]);
    const changes = /^What changes for pods:\n {2}sidecar-gone \(samples\/[^\n]*\n/;
    const promoted = await cli.run(command);
    expect(promoted).toMatchObject({ code: 0, err: expect.stringMatching(changes) });
    expect(promoted.out).toContain(`(${good} before); what changes for pods: sidecar-gone`);
    const back = /^What changes for pods:\n {2}added \(samples\/[^\n]*injected\)\n/;
    const dry = await cli.run("rollback stable --dry-run");
    expect(dry).toMatchObject({ code: 0, err: expect.stringMatching(back) });
    expect(dry.out).toContain("(dry run: nothing was written)");
    expect(await cli.run("rollback stable")).toMatchObject({ code: 0, err: expect.stringMatching(back) });
    expect((await cli.json("channel")).stable.release).toBe(good);
  });

  it.each([
    ["tree", "because it was edited since", () => aws.edit("values/10-mine", hub("evil"))],
    ["channel", "and not [0-9a-f]{12} as when you asked", () => fakeCli(aws.connect, SHIPPED).run("pin stable", first)],
  ])(
    "publishes with --accept what it has shown, and nothing where the %s is another by then",
    async (_, why, meanwhile) => {
      first = await publish("one");
      const good = await publish("two");
      await aws.edit("config", "policy: disabled\n");
      const user = fakeCli(async (target) => {
        const connection = await aws.connect(target);
        const askPublisher: typeof connection.askPublisher = async (request) => {
          const answer = await connection.askPublisher(request);
          if (request.dryRun === true) await meanwhile();
          return answer;
        };
        return { ...connection, askPublisher };
      }, SHIPPED);
      const { out, err } = await user.run("publish --accept sidecar-gone");
      expect([out, err]).toEqual(["", expect.stringMatching(why)]);
      expect((await cli.json("channel stable")).history[0]).not.toHaveProperty("effects", ["sidecar-gone"]);
      expect(good).not.toBe(first);
      user.remove(".");
    },
  );

  it("rolls back, stays there through edits, and moves again when it is unpinned or published to", async () => {
    const one = await publish("one");
    const two = await publish("two");
    expect((await cli.run("rollback stable -m", "Pods do not start")).out).toBe(
      `stable serves ${one} now (${two} before), pinned\n`,
    );
    expect((await cli.run("channel")).out).toMatch(new RegExp(`stable +${one} +yes `));
    expect((await cli.run("channel stable")).out).toContain(
      `stable serves release ${one}, pinned: edits do not move it`,
    );
    expect((await cli.run("pin stable --off")).out).toBe(
      `stable serves ${one}, as before, not pinned any more; the source tree is another one, and stays unpublished until it is edited again or published ("outrigger publish")\n`,
    );
    expect((await cli.run("pin stable --off")).out).toBe(`stable serves ${one}, as before\n`);
    expect((await cli.json("channel")).stable).toMatchObject({ release: one, pinned: false });
    expect((await cli.run(`pin stable ${two}`)).code).toBe(0);
    expect((await cli.json("channel")).stable).toMatchObject({ release: two, pinned: true });
    expect((await cli.run("publish --dry-run")).code).toBe(3);
    expect((await cli.run("publish --unpin --dry-run")).out).toContain(
      `stable serves ${two}, as before, not pinned any more`,
    );
    expect((await cli.run("rollback stable 000000000000")).err).toContain("Cannot find release 000000000000");
    expect((await cli.run("rollback stable", one, "--dry-run")).out).toContain("(dry run: nothing was written)");
    expect((await cli.run("rollback stable", one.slice(0, 4), "--dry-run")).out).toContain(`would serve ${one}`);
    expect((await cli.run("rollback stable 00000")).err).toBe(
      "Cannot find a release that begins with 00000: no channel has one (outrigger releases)\n",
    );
    expect((await cli.run("rollback stable", one, "--if-serving", two.slice(0, 5), "--dry-run")).code).toBe(0);
    expect((await cli.run("rollback stable", one, "--if-serving", one.slice(0, 5), "--dry-run")).code).toBe(3);
    expect((await cli.json("channel")).stable.release).toBe(two);
  });

  it.each([
    ["promote Canary stable", "as <from>. A channel is named in lower-case letters, digits and dashes."],
    ["rollback stable stable", "A release is named by its 12 hexadecimal digits, or the first of them"],
    ["pin Stable", "A channel is named in lower-case letters, digits and dashes."],
    ["publish --channel a_b", "A channel is named in lower-case letters, digits and dashes."],
    ["publish --region EU", 'Cannot use "EU" for --region <region>. A Region is written as eu-west-1 is.\n'],
    ["register --cluster shop --cluster-region EU", "A Region is written as eu-west-1 is."],
    [
      "pods --cluster shop --role-arn registrar",
      "A role is named by its ARN: arn:aws:iam::111122223333:role/registrar.",
    ],
    ["channel remove", "(run outrigger channel remove --help for help)"],
  ])("exits 2, and names what is wrong, before any call: %s", async (line, message) => {
    const { code, out, err } = await cli.run(line);
    expect([code, out, aws.asked]).toEqual([2, "", []]);
    expect(err).toContain(message);
  });

  it("reports as JSON what was pushed and what was published", async () => {
    cli.write("one/values/10-mine.yaml", hub("one"));
    expect(await cli.json("publish --dir one")).toMatchObject({ pushed: ["values/10-mine"], ok: true, changed: true });
    expect(await cli.json("publish --dir one")).toMatchObject({ pushed: [], ok: true, changed: false });
  });

  it("removes a channel that nobody is served from", async () => {
    await publish("one", "--channel", "canary");
    expect(await cli.json("channel remove canary --dry-run")).toMatchObject({
      ok: true,
      message: "canary would be removed",
    });
    aws.deployed.push("/outrigger/prod");
    expect((await cli.run("channel remove canary --deployment prod")).out).toBe("There is no channel canary\n");
    expect((await cli.run("channel remove canary --deployment dev")).out).toBe("canary is removed\n");
    expect((await cli.run("channel canary --deployment dev")).err).toContain(
      "Cannot find channel canary below /outrigger/dev/channels",
    );
  });

  it("lists channels and releases for a user who may not read clusters, and says what it could not compare", async () => {
    await publish("one");
    const editor = fakeAws({
      table: aws.store.table(),
      objects: aws.store.objects,
      fault: ({ input }) =>
        input["Path"] === "/outrigger/dev/clusters"
          ? { kind: "error", name: "AccessDeniedException", status: 400 }
          : undefined,
    });
    const user = fakeCli(editor.connect, SHIPPED);
    for (const line of ["channel", "channel stable"]) {
      const { code, out, err } = await user.run(line);
      expect(code).toBe(0);
      expect(out).toContain("stable");
      expect(err).toContain("cannot be compared with what is served");
      expect(err).toContain("/outrigger/dev/clusters");
    }
    for (const line of ["releases", "diff stable source"]) {
      expect(await user.run(line)).toMatchObject({ code: 0, err: "" });
    }
    user.remove(".");
  });

  it("reports damaged records, and shows the others", async () => {
    await publish("one");
    await aws.put(aws.layout.channel("canary"), "{");
    const { code, out, err } = await cli.run("channels");
    expect(code).toBe(0);
    expect(out).toContain("stable");
    expect(err).toMatch(/^Warning: Cannot read \/outrigger\/dev\/channels\/canary: it is not JSON/);
  });

  it("publishes a directory to the deployments that a file names, as far as the ring that is named", async () => {
    cli.write("tree/values/10-mine.yaml", hub("one"));
    cli.write("deployments.yaml", "deployments:\n- {stage: dev, ring: 2}\n");
    const TO = "publish --dir tree --to deployments.yaml";
    expect(await cli.run(`${TO} --ring 1`)).toMatchObject({
      code: 2,
      err: "Cannot publish to ring 1: deployments.yaml names none before it\n",
    });
    const dry = await cli.run(`${TO} --dry-run`);
    expect([dry.code, dry.out]).toEqual([0, expect.stringContaining("would be published")]);
    expect(aws.stored("values/10-mine")).toBeUndefined();
    const [done, ...more] = await cli.json(`${TO} --ring 2`);
    expect([done.state, more]).toEqual(["published", []]);
    expect(aws.stored("values/10-mine")).toBe(hub("one"));
  });

  it.each([
    ["publish --force", "Cannot use --force without --dir: there is nothing that it would overwrite"],
    ["publish --env prod", "Cannot use --env without --dir: what Parameter Store holds is of one environment already"],
    ["publish --dir tree --replicas other@eu-central-1", "Cannot use --replicas with --dir: "],
    [
      "publish --dir tree --cluster shop",
      "Cannot use --cluster with --dir: outrigger diff CHANNEL tree --cluster shop",
    ],
    ["publish --cluster shop", "Cannot use --cluster without --dry-run: publishing asks no cluster"],
    ["publish --to d.yaml", "Cannot use --to without --dir: "],
    ["publish --dir tree --to d.yaml --prefix /a", "Cannot use --prefix with --to: d.yaml names the deployments"],
    ["publish --dir tree --to d.yaml --if-serving 000000000001", "Cannot use --if-serving with --to: "],
  ])("refuses %s, and asks for nothing", async (line, message) => {
    const { code, out, err } = await cli.run(line);
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(message)]);
    expect(aws.asked).toEqual([]);
  });
});
