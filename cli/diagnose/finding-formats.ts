// Findings for other programs: GitHub's workflow commands and SARIF 2.1.0.
import { defined, trimEnd } from "@outrigger/base";
import type { TreeFinding } from "@outrigger/injector";
import { findingFile } from "./lint-report.ts";

/** `::error file=values/10.yaml,line=2,col=3::message`, a line each: annotations in a GitHub Actions log. */
export function githubFindings(findings: readonly TreeFinding[], directory: string): string {
  return findings
    .map(({ severity, path, line, column, message }) => {
      const place = [
        ...(path === "" ? [] : [`file=${property(inDirectory(directory, findingFile(path)))}`]),
        ...(line === undefined ? [] : [`line=${line}`]),
        ...(column === undefined ? [] : [`col=${column}`]),
      ];
      return `::${severity}${place.length === 0 ? "" : ` ${place.join(",")}`}::${data(message)}\n`;
    })
    .join("");
}

export function sarifFindings(findings: readonly TreeFinding[], directory: string, version: string): string {
  const results = findings.map(({ severity, path, line, column, message }) => {
    const region = line === undefined ? {} : { region: defined({ startLine: line, startColumn: column }) };
    const artifactLocation = { uri: encodeURI(inDirectory(directory, findingFile(path))) };
    return {
      ruleId: "outrigger",
      level: severity,
      message: { text: message },
      locations: path === "" ? [] : [{ physicalLocation: { artifactLocation, ...region } }],
    };
  });
  const driver = { name: "outrigger", version, rules: [{ id: "outrigger", name: "SourceTree" }] };
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, columnKind: "utf16CodeUnits", results }],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

/** Findings for JSON: with the file next to the path in the tree, as the text names it. */
export function withFiles(findings: readonly TreeFinding[], directory: string): readonly object[] {
  return findings.map((finding) =>
    finding.path === "" ? finding : { ...finding, file: inDirectory(directory, findingFile(finding.path)) },
  );
}

function inDirectory(directory: string, file: string): string {
  const prefix = trimEnd(directory.replaceAll("\\", "/").replace(/^\.\//, ""), "/");
  return prefix === "" || prefix === "." ? file : `${prefix}/${file}`;
}

/** The escapes of GitHub's workflow commands. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
