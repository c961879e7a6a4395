import { Content, Portal, Root, Trigger } from "@radix-ui/react-popover";
import type { ReactElement, ReactNode } from "react";

export interface PopoverProps {
  trigger: ReactElement;
  label: string;
  children: ReactNode;
  align?: "start" | "center" | "end";
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  wide?: boolean;
}

/** A panel at its button. Not modal: a modal one locks the scrolling by a <style> that the page's policy forbids. */
export function Popover({ trigger, label, children, align = "end", open, onOpenChange, wide }: PopoverProps) {
  const control = open === undefined || onOpenChange === undefined ? {} : { open, onOpenChange };
  return (
    <Root modal={false} {...control}>
      <Trigger asChild>{trigger}</Trigger>
      <Portal>
        <Content
          className={wide ? "popover popover-wide" : "popover"}
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
        >
          {children}
        </Content>
      </Portal>
    </Root>
  );
}
