import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../api/client.ts";
import { full } from "../format/numbers.ts";
import { useView } from "../state/view.ts";

const EVERY_MS = 10_000;

interface Live {
  now: { live_visitors: number };
}

/** Sessions with a page view in the last ten minutes; 0 is a number too. */
export function LiveCount() {
  const { project } = useView();
  const { data } = useQuery({
    queryKey: ["live", project],
    queryFn: ({ signal }) => call<Live>({ path: "/v0/live", query: { project_id: project }, signal }),
    refetchInterval: EVERY_MS,
    retry: false,
    enabled: project !== undefined,
  });
  if (data === undefined) return null;
  return (
    <Link to="/app/live" className={data.now.live_visitors > 0 ? "live-count on" : "live-count"}>
      <span className="dot" aria-hidden="true" />
      <span>
        {full(data.now.live_visitors, "count")} <span className="button-text">online</span>
      </span>
    </Link>
  );
}
