import { Link } from "@tanstack/react-router";
import { Empty, Failure } from "../ui/states.tsx";

export function NotFoundPage() {
  return (
    <main className="page narrow">
      <h1 className="hidden">Page not found</h1>
      <Empty title="There is no such page" icon="search">
        <Link to="/app">Go to the overview</Link>
      </Empty>
    </main>
  );
}

export function PageFailure({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <main className="page narrow">
      <h1 className="hidden">Something went wrong</h1>
      <Failure failure={error} onRetry={reset} />
    </main>
  );
}
