import { packParts, recordText } from "@outrigger/aws";
import { releaseDigest } from "@outrigger/serving";
import { beforeEach, describe, expect, it } from "vitest";
import { compileWords, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { convertReleases } from "./convert-releases.ts";
import { readRelease } from "./release-object.ts";

const RELEASE = compileWords([{ mesh: "a" }]);
const DIGEST = releaseDigest(RELEASE);
const ORIGIN = { by: "ann", why: "because", at: "2026-01-02T03:04:05.000Z", tree: "t", sources: ["mesh@1"] };
const FOLDER = `${layout.prefix}/releases/${DIGEST}`;

let setup: ReturnType<typeof publisherSetup>;
beforeEach(async () => {
  setup = publisherSetup({ seed: false });
  await setup.put(`${FOLDER}/0`, packParts(JSON.stringify(RELEASE), "Standard", "it", "releases").parts[0] as string);
  await setup.put(`${FOLDER}/origin`, recordText(ORIGIN));
  await setup.put(`${layout.prefix}/images/${"0".repeat(32)}/0`, "a snapshot of an earlier version");
});

const left = () => Object.keys(setup.store.values());

describe("convertReleases()", () => {
  it("copies a release and its origin, and leaves the parameters to a deploy that is rolled back", async () => {
    const before = left();
    expect(await convertReleases(setup.dependencies)).toEqual([DIGEST]);
    expect(await readRelease(setup.dependencies, DIGEST)).toEqual({ release: RELEASE, origin: ORIGIN });
    expect(left()).toEqual(before);
  });

  it("takes the parameters away at the next deploy, once this version has committed", async () => {
    await convertReleases(setup.dependencies);
    await convertReleases(setup.dependencies);
    expect(left()).toHaveLength(3);
    await setup.edit("mesh", "a");
    await setup.run({ action: "publish" });
    expect(await convertReleases(setup.dependencies)).toEqual([]);
    expect(left().filter((name) => /\/(releases|images)\//.test(name))).toEqual([]);
    expect(await convertReleases(setup.dependencies)).toEqual([]);
  });

  it("copies one that was too large for parameters from the object that its part names", async () => {
    const { digest, text } = packParts(JSON.stringify(RELEASE), "Standard", "it", "releases");
    await setup.put(`${FOLDER}/0`, `${digest} s3:releases:${text.length}`);
    await setup.bucket.putObject({ key: layout.snapshot(digest), text });
    expect(await convertReleases(setup.dependencies)).toEqual([DIGEST]);
    expect(await readRelease(setup.dependencies, DIGEST)).toMatchObject({ release: RELEASE });
  });

  it("leaves what cannot be read, and copies a release whose origin cannot", async () => {
    await setup.put(`${layout.prefix}/releases/000000000000/0`, "nonsense");
    await setup.put(`${FOLDER}/origin`, "nonsense");
    expect(await convertReleases(setup.dependencies)).toEqual([DIGEST]);
    expect(await readRelease(setup.dependencies, DIGEST)).toEqual({ release: RELEASE, origin: undefined });
    await setup.edit("mesh", "a");
    await setup.run({ action: "publish" });
    await convertReleases(setup.dependencies);
    expect(left()).toContain(`${layout.prefix}/releases/000000000000/0`);
  });
});
