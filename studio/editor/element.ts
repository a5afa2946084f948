// What CodeMirror shows is made of elements, not of components.

export function element(tag: string, ...content: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  made.append(...content);
  return made;
}

export function tooltip(...content: readonly (Node | string)[]): HTMLElement {
  return Object.assign(element("div", ...content), { className: "callable" });
}

export function linkButton(text: string, onclick: () => void): HTMLElement {
  return Object.assign(document.createElement("button"), {
    type: "button",
    className: "button link",
    textContent: text,
    onclick,
  });
}
