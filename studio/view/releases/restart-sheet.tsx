// The restart of running pods: its plan, the question before it begins, how far it is, and how it ended, in the command's own words.

import { closeRestart, tellRestart } from "../../actions/restarting.ts";
import { Badge, Button } from "../../component/controls.tsx";
import { Sheet } from "../../component/sheet.tsx";
import { restart } from "../../model/restart.ts";
import { say } from "../../text/say.ts";

export function RestartSheet() {
  const { text = "", question, isStopping = false, code } = restart.value ?? {};
  const isRunning = code === undefined && question === undefined;
  return (
    <Sheet
      title={say("restart.title")}
      onClose={closeRestart}
      foot={
        <div class="row end">
          {isRunning && <Badge tone="accent">{say(isStopping ? "restart.stopping" : "restart.running")}</Badge>}
          {code !== undefined && (
            <Badge tone={code === 0 ? "good" : "warn"}>{say(code === 0 ? "restart.done" : "restart.ended")}</Badge>
          )}
          {isRunning && (
            <Button
              tone="danger"
              disabled={isStopping}
              onClick={() => void tellRestart("stop")}
              text={say("restart.stop")}
            />
          )}
          <Button onClick={closeRestart} text={say(question === undefined ? "close" : "move.cancel")} />
          {question !== undefined && (
            <Button tone="primary" onClick={() => void tellRestart("yes")} text={say("restart.begin")} />
          )}
        </div>
      }
    >
      {text === "" && <p class="quiet">{say("restart.planning")}</p>}
      <pre class="terminal" lang="en" role="log" tabIndex={-1}>
        {text}
      </pre>
      {question !== undefined && (
        <p lang="en">
          <b>{question}</b>
        </p>
      )}
      <p class="quiet">{say("restart.how")}</p>
    </Sheet>
  );
}
