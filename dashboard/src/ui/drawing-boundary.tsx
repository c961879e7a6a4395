import { Component, type ReactNode } from "react";
import { Failure } from "./states.tsx";

interface BoundaryProps {
  /** What is drawn: with another one it is tried again. Not by a key: what has the focus in it would lose it. */
  version: readonly unknown[];
  children: ReactNode;
}

interface BoundaryState {
  hasFailed: boolean;
  version: readonly unknown[];
}

/** What a file or another program has saved may be drawn as nothing that this page knows: all around it is drawn. */
export class DrawingBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { hasFailed: false, version: this.props.version };

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ version }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    const isSame = version.every((part, at) => part === state.version[at]);
    return isSame ? null : { hasFailed: false, version };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return <Failure failure={new Error("This chart cannot be drawn as it was saved.")} />;
  }
}
