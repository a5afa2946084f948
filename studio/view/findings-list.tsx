// What is wrong with the tree. A finding leads to its line.

import type { TreeFinding } from "@outrigger/injector";
import { Button } from "../component/controls.tsx";
import { goTo, openPath, shownPage } from "../model/state.ts";
import { say } from "../text/say.ts";

export function FindingsItems({ findings }: { readonly findings: readonly TreeFinding[] }) {
  if (findings.length === 0) return <p class="quiet">{say("findings.none")}</p>;
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <li key={keyOf(finding)} class={finding.severity}>
          <span class="place">{say(`severity.${finding.severity}`)}</span>
          <FindingButton finding={finding} />
          <span lang="en">{finding.message}</span>
        </li>
      ))}
    </ul>
  );
}

function keyOf({ path, line, column, message }: TreeFinding): string {
  return `${path}:${line}:${column}:${message}`;
}

export function FindingButton({ finding: { path, line, column } }: { readonly finding: TreeFinding }) {
  return (
    <Button
      tone="link"
      disabled={path === ""}
      onClick={() => {
        shownPage.value = "edit";
        openPath.value = path;
        goTo.value = { line: line ?? 1, column: column ?? 1 };
      }}
    >
      {path}
      {line === undefined ? "" : `, ${say("line", { line })}`}
    </Button>
  );
}
