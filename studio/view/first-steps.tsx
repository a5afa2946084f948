// Where there are no entries of one's own yet: three things to try, each one click.

import { offerExamples, tryImage, tryOptedOut } from "../actions/starting.ts";
import { Button, EmptyState } from "../component/controls.tsx";
import { say } from "../text/say.ts";

export function FirstSteps() {
  return (
    <EmptyState title={say("first.none")}>
      <Button tone="link" data-stop onClick={tryImage}>
        {say("first.image")}
      </Button>
      <Button tone="link" data-stop onClick={() => void offerExamples("log-shipper")}>
        {say("first.container")}
      </Button>
      <Button tone="link" data-stop onClick={tryOptedOut}>
        {say("first.why")}
      </Button>
    </EmptyState>
  );
}
