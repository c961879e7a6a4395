/** What the profile of a wallet holds for the conditions of user alerts. */
import { SOCIAL_KEYS } from "../../contract/profile-fields.ts";
import type { ProfileAnswer } from "../../profiles/search.ts";
import type { Held } from "../conditions.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Numbers that are not known meet no condition. `apps`, `tokens` and `chains` are how many there are. */
export function heldByProfile(profile: ProfileAnswer): (field: string) => Held {
  const fields = profile as unknown as Fields;
  return (field) => {
    switch (field) {
      case "net_worth_usd":
      case "volume":
      case "revenue":
      case "points":
        return numberOf(fields[field]);
      case "apps":
      case "tokens":
      case "chains":
        return Array.isArray(fields[field]) ? fields[field].length : undefined;
      case "labels":
        return labelsOf(fields.labels);
      case "socials":
        return socialsOf(fields);
      default:
        return textOf(fields, field);
    }
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Their ids, and their values where they have any. */
function labelsOf(labels: unknown): readonly string[] {
  if (!Array.isArray(labels)) return [];
  return labels.flatMap(({ id, value }: { id: string; value: string }) => (value === "" ? [id] : [id, value]));
}

/** The networks on which the wallet is known, and its names there. */
function socialsOf(fields: Fields): readonly string[] {
  return SOCIAL_KEYS.flatMap((key) => {
    const name = fields[key];
    return typeof name === "string" && name !== "" ? [key, name] : [];
  });
}

const ARRIVAL = /^(?:referrer|utm_)/;

/** What is not known is an empty text. */
function textOf(fields: Fields, field: string): string {
  const value = fields[ARRIVAL.test(field) ? `first_${field}` : field];
  return typeof value === "string" ? value : "";
}
