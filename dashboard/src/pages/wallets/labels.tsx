import { type FormEvent, useRef } from "react";
import { type Label, type Profile, useLabelWrite } from "../../api/profiles.ts";
import { useSession } from "../../api/session.ts";
import { useView } from "../../state/view.ts";
import { FormFailure, formTexts } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { labelText, UNKNOWN } from "./profile-text.ts";
import { Fact } from "./wallet-facts.tsx";

/** What the app and its people call the wallet. */
export function Labels({ profile: { address, labels = [] } }: { profile: Profile }) {
  const { project } = useView();
  const { workspace } = useSession();
  const remove = useLabelWrite(project, address, "DELETE");
  const canWrite = workspace.scopes.includes("profiles:write");
  return (
    <Fact title="Labels">
      {labels.length === 0 ? <p>{UNKNOWN}</p> : null}
      <ul className="chips wallet-labels" aria-label="Labels of the wallet">
        {labels.map((label) => (
          <li key={`${label.id} ${label.chain_id}`} className="chip">
            <span className="chip-text">{labelText(label)}</span>
            {canWrite ? (
              <button
                type="button"
                className="chip-close"
                aria-label={`Remove the label ${labelText(label)}`}
                disabled={remove.isPending}
                onClick={() => remove.mutate(named(label))}
              >
                <Icon name="close" size={12} />
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      <FormFailure failure={remove.error} />
      {canWrite ? <AddLabel address={address} /> : null}
    </Fact>
  );
}

function named({ id, chain_id }: Label) {
  return { tag_id: id, ...(chain_id === "-" ? {} : { chain_id }) };
}

function AddLabel({ address }: { address: string }) {
  const { project } = useView();
  const add = useLabelWrite(project, address, "POST");
  const first = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const form = event.currentTarget;
    const { tag = "", value = "" } = formTexts(event);
    if (tag.trim() === "") return;
    const label = { tag_id: tag.trim(), ...(value.trim() === "" ? {} : { value: value.trim() }) };
    add.mutate(label, {
      onSuccess: () => {
        form.reset();
        first.current?.focus();
      },
    });
  };
  return (
    <form className="wallet-add-label" onSubmit={submit}>
      <label>
        Label
        <input ref={first} name="tag" type="text" placeholder="tier" maxLength={128} autoComplete="off" required />
      </label>
      <label>
        Value
        <input name="value" type="text" placeholder="gold" maxLength={2048} autoComplete="off" />
      </label>
      <button type="submit" className="button" disabled={add.isPending}>
        <Icon name="plus" /> Add label
      </button>
      <FormFailure failure={add.error} />
    </form>
  );
}
