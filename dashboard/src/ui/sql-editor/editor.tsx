import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { SQLDialect, schemaCompletionSource } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import { completeStatement, KEYWORDS } from "./complete.ts";
import type { SqlSchema } from "./schema.ts";

interface EditorProps {
  /** The text that the page gives: at first, and whenever another object comes. What is typed goes to onChange. */
  given: { readonly text: string };
  /** For completion; undefined before it is read. */
  schema: SqlSchema | undefined;
  onChange: (value: string) => void;
  onRun: () => void;
}

const dialect = SQLDialect.define({ keywords: KEYWORDS, types: "", operatorChars: "+-*/<>=!%|" });

function language(schema: SqlSchema | undefined): Extension {
  const { language: parser } = dialect;
  if (schema === undefined) return parser;
  const tables = Object.fromEntries(schema.tables.map(({ name, columns }) => [name, columns.map((one) => one.name)]));
  return [
    parser,
    parser.data.of({ autocomplete: schemaCompletionSource({ dialect, schema: tables }) }),
    parser.data.of({ autocomplete: completeStatement(schema) }),
  ];
}

/**
 * Text typed over a selection is inserted here. Chromium's own editing keeps the look of the deleted text in a `style`
 * attribute, which the page's policy blocks and reports.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    if (empty || event.inputType !== "insertText" || event.data === null || view.composing) return false;
    const text = event.data;
    const insert = () =>
      view.state.update({ ...view.state.replaceSelection(text), userEvent: "input.type", scrollIntoView: true });
    const handled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert));
    if (!handled) view.dispatch(insert());
    return true;
  },
});

/** The colours are variables of the page, which reach into the editor's own tree. */
const highlight = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: tags.comment, color: "var(--text-3)", fontStyle: "italic" },
  { tag: tags.operator, color: "var(--text-2)" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    lineHeight: "1.6",
    minHeight: "160px",
    maxHeight: "40vh",
    overflow: "auto",
  },
  ".cm-content": { caretColor: "var(--text)", padding: "10px 0" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--text-3)", border: "none", paddingLeft: "8px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-placeholder": { color: "var(--text-3)" },
  ".cm-tooltip": {
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line)",
    borderRadius: "8px",
    boxShadow: "var(--shadow-high)",
    overflow: "hidden",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--text)" },
  ".cm-completionDetail": { color: "var(--text-3)", fontStyle: "normal", marginLeft: "1em" },
});

/**
 * The editor lives in a shadow tree: there CodeMirror uses constructed style sheets, which the page's policy allows,
 * and not a <style> element.
 */
export function Editor({ given, schema, onChange, onRun }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const compartment = useRef(new Compartment());
  const latest = useRef({ onChange, onRun });
  latest.current = { onChange, onRun };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; its text and schema follow below.
  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: given.text,
        extensions: [
          keymap.of([
            {
              key: "Mod-Enter",
              run: () => {
                latest.current.onRun();
                return true;
              },
            },
          ]),
          lineNumbers(),
          history(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          autocompletion(),
          placeholder("SELECT …"),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "SQL" }),
          compartment.current.of(language(schema)),
          typeOverSelection,
          syntaxHighlighting(highlight),
          theme,
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    view.current?.dispatch({ effects: compartment.current.reconfigure(language(schema)) });
  }, [schema]);
  useEffect(() => {
    const made = view.current;
    if (made && made.state.doc.toString() !== given.text) {
      made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: given.text } });
    }
  }, [given]);
  return <div ref={host} className="sql-editor keys" />;
}
