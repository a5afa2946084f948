// A button. `primary` is what a page is for, once in sight; `link` leads somewhere; `danger` takes something back.

import type { ButtonHTMLAttributes, ComponentChildren } from "preact";

export interface ButtonProps extends Omit<ButtonHTMLAttributes, "class" | "type"> {
  readonly tone?: "primary" | "danger" | "quiet" | "link";
  readonly type?: "button" | "submit";
  readonly children: ComponentChildren;
}

export function Button({ tone, type = "button", children, ...others }: ButtonProps) {
  return (
    <button {...others} type={type} class={tone === undefined ? "button" : `button ${tone}`}>
      {children}
    </button>
  );
}
