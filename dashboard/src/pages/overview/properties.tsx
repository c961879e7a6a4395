import { useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useNear } from "../../api/near.tsx";
import { useProperties } from "../../state/found-values.ts";
import { type RawSearch, text } from "../../state/search.ts";
import { Breakdown } from "./breakdown.tsx";
import { type CardMeasure, propertiesCard } from "./breakdowns.ts";

/** The values of a property of events; the names are those that the events of the period have. */
export function Properties({ wanted }: { wanted: CardMeasure | undefined }) {
  const { isNear, watch } = useNear();
  const search = useSearch({ strict: false }) as RawSearch;
  const names = useProperties(text(search.properties), isNear).map(({ name }) => name);
  const place = useRef<HTMLDivElement>(null);
  // Until there is a card, its place says whether it is near.
  useEffect(() => {
    if (names.length === 0) watch?.(place.current);
  }, [names.length, watch]);
  return (
    <div ref={place} className="properties-card">
      {names.length === 0 ? null : <Breakdown card={propertiesCard(names)} wanted={wanted} totals={{}} />}
    </div>
  );
}
