// Where there are no entries of one's own yet: three things to try, each one click.

import { Button, EmptyState } from "../component/controls.tsx";
import { tryImage, tryOptedOut } from "../model/first-steps.ts";
import { say } from "../text/say.ts";

export interface FirstStepsProps {
  /** Starts from the example that adds a container. */
  readonly onContainer: () => void;
}

export function FirstSteps({ onContainer }: FirstStepsProps) {
  return (
    <EmptyState title={say("first.none")}>
      <Button tone="link" data-stop onClick={tryImage}>
        {say("first.image")}
      </Button>
      <Button tone="link" data-stop onClick={onContainer}>
        {say("first.container")}
      </Button>
      <Button tone="link" data-stop onClick={tryOptedOut}>
        {say("first.why")}
      </Button>
    </EmptyState>
  );
}
