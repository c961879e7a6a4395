/** The days of an import, as the other product has counted them. */
import { useState } from "react";
import { type ImportItem, MOST_DAYS, useImportedDays } from "../../api/imports.ts";
import { full } from "../../format/numbers.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { Failure, Skeleton } from "../../ui/states.tsx";

export function DaysButton({ item, days }: { item: ImportItem; days: NonNullable<ImportItem["days"]> }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="link-button" onClick={() => setOpen(true)}>
        days {days.firstDay} to {days.lastDay}
      </button>
      {isOpen ? <Days item={item} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

const COLUMNS = ["Day", "Visitors", "Visits", "Page views", "Bounces", "In reports"] as const;

function Days({ item, onClose }: { item: ImportItem; onClose: () => void }) {
  const { data, error, refetch } = useImportedDays(item.id);
  return (
    <Dialog title={`Days of ${item.fileName}`} onClose={onClose} wide>
      <p className="note">
        Sums of days, as they were counted. A day counts in reports until the first day with events of the project
        itself.
        {data?.length === MOST_DAYS ? ` These are the first ${full(MOST_DAYS, "count")}.` : ""}
      </p>
      {error ? <Failure failure={error} onRetry={() => void refetch()} /> : null}
      {data === undefined && !error ? <Skeleton rows={4} /> : null}
      {data === undefined ? null : (
        <ScrollRegion label="Imported days">
          <table className="table import-days">
            <thead>
              <tr>
                {COLUMNS.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.map(({ day, visitors, visits, pageviews, bounces, isCounted }) => (
                <tr key={day}>
                  <td>{day}</td>
                  {[visitors, visits, pageviews, bounces].map((count, at) => (
                    <td key={COLUMNS[at + 1]}>{full(count, "count")}</td>
                  ))}
                  <td>{isCounted ? "yes" : "no"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </Dialog>
  );
}
