// The editor for JSON bodies, in its own chunk: it is loaded when a body is edited for the first time.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { HighlightStyle, bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { completeJson, type Hints } from "./json-hints.js";

export interface CodeEditorOptions {
  /** The text area that it replaces and hides. It takes over text, selection and focus. */
  area: HTMLTextAreaElement;
  parent: HTMLElement;
  hints: () => Hints;
  changed: (text: string) => void;
}

export interface CodeEditor {
  /** Changes the text from outside, without a call of `changed`. */
  setText(text: string): void;
  close(): void;
}

export function openCodeEditor({ area, parent, hints, changed }: CodeEditorOptions): CodeEditor {
  const focused = document.activeElement === area;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: area.value,
      selection: { anchor: area.selectionStart, head: area.selectionEnd },
      extensions: [
        history(),
        json(),
        indentUnit.of("  "),
        bracketMatching(),
        closeBrackets(),
        autocompletion({
          override: [(context) => completeJson(context, hints())],
          activateOnTyping: true,
          icons: false,
        }),
        syntaxHighlighting(COLOURS),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Body", tabindex: "0" }),
        // Tab is not bound: it leaves the editor, as in any other field.
        keymap.of([...SENDING, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
        EditorView.updateListener.of((update) => {
          const outside = update.transactions.some((one) => one.annotation(FROM_OUTSIDE));
          if (update.docChanged && !outside) changed(update.state.doc.toString());
        }),
      ],
    }),
  });
  area.hidden = true;
  if (focused) view.focus();
  return {
    setText(text) {
      if (text === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        annotations: FROM_OUTSIDE.of(true),
      });
    },
    close: () => view.destroy(),
  };
}

const FROM_OUTSIDE = Annotation.define<boolean>();

/** Ctrl+Enter sends the cell. Binding it here keeps the editor from inserting a new line. */
const SENDING = [{ key: "Mod-Enter", run: () => true }];

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: [tags.number, tags.bool, tags.null], fontWeight: "600" },
  { tag: tags.invalid, color: "var(--refused)" },
]);
