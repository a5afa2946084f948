// A page with every component in every state: `node --import tsx scripts/build/build-samples.ts`. It is not part of the studio.

import { signal } from "@preact/signals";
import { type ComponentChildren, render } from "preact";
import { Badge, Bar, Button, EmptyState } from "../component/controls.tsx";
import { Sheet } from "../component/sheet.tsx";
import { Tabs } from "../component/tabs.tsx";

const TONES = ["good", "warn", "bad", "accent"] as const;
const SIZES = ["1", "2", "3", "4", "5"] as const;
const view = signal<"one" | "two">("one");
const isAsking = signal(false);

function Samples() {
  return (
    <main class="samples">
      <h1>Components</h1>
      <Sample name="Type">
        {SIZES.map((size) => (
          <p key={size} style={{ fontSize: `var(--size-${size})` }}>
            --size-{size} · What a pod gets <span class="quiet">what may be skipped</span> <code>istio-proxy</code>
          </p>
        ))}
      </Sample>
      <Sample name="Button">
        <div class="row">
          <Button>Pin…</Button>
          <Button tone="primary">Publish…</Button>
          <Button tone="danger">Roll back…</Button>
          <Button tone="quiet">Examples…</Button>
          <Button tone="link">what changed</Button>
          <Button disabled>Pin…</Button>
          <Button tone="primary" disabled>
            Nothing to save
          </Button>
        </div>
      </Sample>
      <Sample name="Tabs">
        <Tabs
          label="View"
          panel="sample-panel"
          tabs={[
            ["one", "My edit"],
            ["two", "Pod"],
          ]}
          chosen={view.value}
          onChoose={(name) => {
            view.value = name;
          }}
        />
        <p role="tabpanel" id="sample-panel" aria-labelledby={`tab-${view.value}`}>
          {view.value}
        </p>
      </Sample>
      <Sample name="Badge">
        <div class="row">
          <Badge>shipped</Badge>
          {TONES.map((tone) => (
            <Badge key={tone} tone={tone}>
              {tone}
            </Badge>
          ))}
          {TONES.map((tone) => (
            <Badge key={tone} tone={tone} strong>
              {tone}
            </Badge>
          ))}
        </div>
      </Sample>
      <Sample name="Bar">
        <Bar
          parts={[
            { tone: "accent", percent: 25 },
            { tone: "good", percent: 75 },
          ]}
        />
        <p class="row apart shares">
          <b>25 %</b>
          <b>75 %</b>
        </p>
      </Sample>
      <Sample name="Fields">
        <label class="column field">
          Why
          <textarea />
        </label>
        <label class="row">
          Compared with
          <select>
            <option>the pod as it is</option>
          </select>
        </label>
      </Sample>
      <Sample name="Timeline">
        <ol class="timeline">
          <li class="good">Published</li>
          <li class="accent">Promoted</li>
          <li class="bad">Rolled back</li>
        </ol>
      </Sample>
      <Sample name="Messages">
        <p class="banner">The channel is pinned.</p>
        <p class="banner bad">The studio does not answer.</p>
        <EmptyState title="You have no files yet. Try this:">
          <Button tone="link">Use another proxy image</Button>
        </EmptyState>
      </Sample>
      <Sample name="Sheet">
        <Button
          onClick={() => {
            isAsking.value = true;
          }}
        >
          Ask…
        </Button>
        {isAsking.value && <Question />}
      </Sample>
    </main>
  );
}

function Question() {
  const close = () => {
    isAsking.value = false;
  };
  return (
    <Sheet
      title="Roll stable back, and pin it"
      foot={
        <p class="row end">
          <Button onClick={close}>Cancel</Button>
          <Button tone="danger" onClick={close}>
            Roll back to 4c68ba87
          </Button>
        </p>
      }
      onClose={close}
    >
      <p>200 pods change in this way.</p>
    </Sheet>
  );
}

function Sample({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section class="column card" aria-label={name}>
      <h2>{name}</h2>
      {children}
    </section>
  );
}

render(<Samples />, document.getElementById("app") as HTMLElement);
