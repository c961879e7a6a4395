import { type KeyboardEvent, useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { full } from "../format/numbers.ts";
import { uniqueKeys } from "../format/unique-keys.ts";
import { Icon } from "./icon.tsx";
import "./combobox.css";

export interface ComboOption {
  value: string;
  /** What people call it, which is also what they search for. */
  name: string;
  count?: number | undefined;
}

interface ComboboxProps {
  label: string;
  options: readonly ComboOption[];
  /** At first: from then on the field has its own, and tells of them. */
  values: readonly string[];
  /** Values are chips, and the field is for the next one. */
  several: boolean;
  /** People know the values by other names. */
  isNamed: boolean;
  /** The options are still on their way: a name that is typed meanwhile is that of one of them. */
  isFinding: boolean;
  nameOf: (value: string) => string;
  /** The chosen values, and the one that stands in the field. */
  onChange: (values: readonly string[]) => void;
  onSearch: (text: string) => void;
}

/** More rows make a page slow; the text finds the others. */
const SHOWN = 100;

/**
 * A text field with a list of what it may be, by the combobox pattern of ARIA: the focus stays in the field, the arrow
 * keys go through the list, Enter takes an option, Escape closes the list. Any other text is a value too.
 *
 * The list is part of the form and stays when the field is left: one that closed would move the button below it away
 * from the pointer that is about to click it.
 */
export function Combobox(props: ComboboxProps) {
  const { label, several, nameOf } = props;
  const ids = useId();
  const input = useRef<HTMLInputElement>(null);
  const { chips, text, found, isShown, at, type, choose, remove, onKeyDown, setOpen } = useCombobox(props);
  useEffect(() => {
    if (at >= 0) document.getElementById(`${ids}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at, ids]);
  return (
    <div className="field combo">
      <label htmlFor={ids}>{label}</label>
      <div className="combo-box">
        {several && chips.length > 0 ? (
          <Chips
            chips={chips}
            nameOf={nameOf}
            onRemove={(value) => {
              // The button goes with its chip.
              input.current?.focus();
              remove(value);
            }}
          />
        ) : null}
        <input
          ref={input}
          id={ids}
          type="text"
          role="combobox"
          aria-expanded={isShown}
          aria-autocomplete="list"
          aria-controls={isShown ? `${ids}-list` : undefined}
          aria-activedescendant={isShown && at >= 0 ? `${ids}-${at}` : undefined}
          aria-describedby={several ? `${ids}-keys` : undefined}
          autoComplete="off"
          spellCheck={false}
          value={text}
          placeholder={several && chips.length > 0 ? "another value" : "search or type"}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onChange={({ target }) => type(target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      {isShown ? (
        <div
          id={`${ids}-list`}
          role="listbox"
          aria-label="Suggestions"
          aria-multiselectable={several}
          className="combo-list"
        >
          {found.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: see above.
            <div
              key={option.value}
              id={`${ids}-${index}`}
              role="option"
              aria-selected={several ? chips.includes(option.value) : index === at}
              className={index === at ? "combo-option at" : "combo-option"}
              data-value={option.value}
              // The focus stays in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => {
                input.current?.focus();
                choose(option);
              }}
            >
              {several ? (
                <span className="combo-check">{chips.includes(option.value) ? <Icon name="check" /> : null}</span>
              ) : null}
              <span className="combo-name">
                <bdi>{option.name}</bdi>
              </span>
              {option.count === undefined ? null : <span className="combo-count">{full(option.count, "count")}</span>}
            </div>
          ))}
        </div>
      ) : null}
      <span role="status" className="hidden">
        {isShown ? `${found.length} found` : ""}
      </span>
      {several ? <small id={`${ids}-keys`}>Enter adds a value, Backspace removes the last.</small> : null}
    </div>
  );
}

interface ChipsProps {
  chips: readonly string[];
  nameOf: (value: string) => string;
  onRemove: (value: string) => void;
}

function Chips({ chips, nameOf, onRemove }: ChipsProps) {
  const keys = uniqueKeys(chips);
  return (
    <ul className="combo-chips" aria-label="Chosen">
      {chips.map((value, index) => (
        <li key={keys[index]} className="chip">
          <span className="chip-text">{nameOf(value)}</span>
          <button
            type="button"
            className="chip-close"
            aria-label={`Remove ${nameOf(value)}`}
            onClick={() => onRemove(value)}
          >
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function useCombobox({ options, values, several, isNamed, isFinding, nameOf, onChange, onSearch }: ComboboxProps) {
  const [chips, setChips] = useState<readonly string[]>(several ? values : []);
  // Values that may be names: typed before the options came, or under another condition.
  const [unread, setUnread] = useState<readonly string[]>(isNamed ? values : []);
  const [text, setText] = useState(several || values[0] === undefined ? "" : nameOf(values[0]));
  // What was chosen is no search: the list then has all options.
  const [isTyped, setTyped] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const found = (isTyped ? options.filter((option) => matches(option, text)) : options).slice(0, SHOWN);
  const isShown = isOpen && found.length > 0;
  const tell = (nextChips: readonly string[], nextText: string) =>
    onChange(several ? [...new Set([...nextChips, ...partsOf(nextText, options)])] : [valueNamed(nextText, options)]);
  const change = (nextChips: readonly string[], nextText: string, typed: boolean) => {
    setChips(nextChips);
    setText(nextText);
    setTyped(typed);
    setAt(-1);
    onSearch(typed ? nextText : "");
    tell(nextChips, nextText);
  };
  // A name that was typed before the options came is that of one of them.
  const tellAgain = useEffectEvent(() => {
    if (isFinding || (unread.length === 0 && !isTyped)) return;
    setUnread([]);
    // A value in other letters is another value.
    const named = options.filter(({ name, value }) => name !== value);
    const read = (value: string) =>
      unread.includes(value) && options.every((option) => option.value !== value) ? valueNamed(value, named) : value;
    if (!several && !isTyped) return onChange(values.map(read));
    const nextChips = [...new Set(chips.map(read))];
    setChips(nextChips);
    tell(nextChips, text);
  });
  const names = JSON.stringify(options.map(({ name }) => name));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names alone tell of other options.
  useLayoutEffect(() => tellAgain(), [names, isFinding]);
  const choose = ({ value, name }: ComboOption) => {
    if (several) return change(chips.includes(value) ? without(chips, value) : [...chips, value], "", false);
    change([], name, false);
    // Two values may have one name.
    onChange([value]);
    setOpen(false);
  };
  const take = (parts: readonly string[]) => {
    if (isFinding) setUnread([...unread, ...parts]);
    change([...new Set([...chips, ...parts])], "", false);
  };
  const option = isShown ? found[at] : undefined;
  /** What a key does here; undefined where it does what it does in any field. */
  const actOf = (key: string): (() => void) | undefined => {
    if (key === "ArrowDown") return () => (isShown ? setAt(Math.min(found.length - 1, at + 1)) : setOpen(true));
    if (key === "ArrowUp") return () => setAt(Math.max(-1, at - 1));
    if (key === "Enter" && option) return () => choose(option);
    if (key === "Enter" && several && text.trim() !== "") return () => take(partsOf(text, options));
    if (key === "Escape" && isShown) return () => setOpen(false);
    if (key === "Backspace" && several && text === "" && chips.length > 0)
      return () => change(chips.slice(0, -1), "", false);
    return undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter may end the composition of a letter.
    const isOther = event.altKey || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing;
    const act = isOther ? undefined : actOf(event.key);
    if (act === undefined) return;
    event.preventDefault();
    // Escape would also close the form around the field.
    event.stopPropagation();
    act();
  };
  return {
    chips,
    text,
    found,
    isShown,
    at,
    setOpen,
    choose,
    onKeyDown,
    type: (typed: string) => {
      setOpen(true);
      change(chips, typed, typed !== "");
    },
    remove: (value: string) => change(without(chips, value), text, isTyped),
  };
}

function without(values: readonly string[], value: string): string[] {
  return values.filter((one) => one !== value);
}

function matches({ value, name }: ComboOption, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return name.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted);
}

/** The value of a text: that of the option with this name, best in its spelling, otherwise the text itself. */
function valueNamed(text: string, options: readonly ComboOption[]): string {
  const wanted = text.trim();
  const named =
    options.find(({ name }) => name === wanted) ??
    options.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  return named?.value ?? text;
}

/** "one|two" are two values, as in the URL. */
function partsOf(text: string, options: readonly ComboOption[]): string[] {
  return text.split("|").flatMap((part) => (part.trim() === "" ? [] : valueNamed(part.trim(), options)));
}
