// Holds the Containerfile to what it promises, where no builder is installed: what it copies, who runs it, and what it starts.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const lines = readFileSync("Containerfile", "utf8")
  .replaceAll(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => /^[A-Z]+ /.test(line));
const words = (instruction: string) =>
  lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));
const { bin, files, engines } = JSON.parse(readFileSync("package.json", "utf8"));

describe("Containerfile", () => {
  const final = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));

  it("copies the packed package into the image, and nothing else of the checkout", () => {
    expect(final.filter((line) => /^(?:COPY|ADD) /.test(line))).toEqual([
      "COPY --from=build --chown=root:root /package /opt/outrigger",
    ]);
    expect(words("RUN")[0]).toContain("npm pack --silent --pack-destination /");
    expect(words("RUN")[0]).toContain("tar -xzf /outrigger-*.tgz -C /package --strip-components=1");
  });

  it("starts a file that is in the package", () => {
    expect(words("RUN").at(-1)).toContain(`ln -s /opt/outrigger/${bin.outrigger} /usr/local/bin/outrigger`);
    expect(files).toContain(bin.outrigger);
    expect(final).toContain('ENTRYPOINT ["outrigger"]');
  });

  it("runs without root's rights, on the Node of the functions", () => {
    expect(final.indexOf("USER node")).toBeLessThan(final.findIndex((line) => /^ENTRYPOINT/.test(line)));
    expect(words("USER")).toEqual(["node"]);
    const [, major = ""] = /runtime: nodejs(\d+)\.x/.exec(readFileSync("serverless.yml", "utf8")) ?? [];
    for (const image of words("FROM")) expect(image).toContain(`docker.io/library/node:${major}-`);
    expect(Number(major)).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)?.[0]));
  });

  it("builds from everything that git keeps and from nothing that it does not", () => {
    const ignored = (file: string) =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"))
        .map((line) => line.replace(/\/$/, ""));
    expect(ignored(".dockerignore")).toEqual(expect.arrayContaining(ignored(".gitignore")));
    for (const name of [...files, "scripts", "lib", "infra", "serverless.yml"])
      if (existsSync(name) && !name.startsWith("dist")) expect(ignored(".dockerignore")).not.toContain(name);
  });
});
