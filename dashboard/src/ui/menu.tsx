import {
  CheckboxItem,
  Content,
  Item,
  ItemIndicator,
  Label,
  Portal,
  Root,
  Separator,
  Trigger,
} from "@radix-ui/react-dropdown-menu";
import type { ReactElement, ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuProps {
  trigger: ReactElement;
  children: ReactNode;
  align?: "start" | "center" | "end";
}

/** Not modal, for the reason that popover.tsx gives. */
export function Menu({ trigger, children, align = "end" }: MenuProps) {
  return (
    <Root modal={false}>
      <Trigger asChild>{trigger}</Trigger>
      <Portal>
        <Content className="popover menu" align={align} sideOffset={6} collisionPadding={8}>
          {children}
        </Content>
      </Portal>
    </Root>
  );
}

interface MenuItemProps {
  children: ReactNode;
  onSelect: () => void;
  icon?: IconName;
  hint?: string;
  danger?: boolean;
}

export function MenuItem({ children, onSelect, icon, hint, danger }: MenuItemProps) {
  return (
    <Item className={danger ? "menu-item danger" : "menu-item"} onSelect={onSelect}>
      {icon ? <Icon name={icon} /> : null}
      <span className="grow">{children}</span>
      {hint ? <kbd>{hint}</kbd> : null}
    </Item>
  );
}

export function MenuChoice(props: { children: ReactNode; checked: boolean; onSelect: () => void; hint?: string }) {
  return (
    <CheckboxItem className="menu-item" checked={props.checked} onSelect={props.onSelect}>
      <span className="menu-check">
        <ItemIndicator>
          <Icon name="check" />
        </ItemIndicator>
      </span>
      <span className="grow">{props.children}</span>
      {props.hint ? <kbd>{props.hint}</kbd> : null}
    </CheckboxItem>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Label className="menu-label">{children}</Label>;
}

export function MenuLine() {
  return <Separator className="menu-line" />;
}
