import { type Board, type BoardTemplate, useBoardWrite, useTemplates } from "../../api/boards.ts";
import { useView } from "../../state/view.ts";
import { FormFailure } from "../../ui/form.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { Failure, Skeleton } from "../../ui/states.tsx";
import { useWhileShown } from "../../ui/use-while-shown.ts";

export const TEMPLATE_ICONS: Readonly<Record<string, IconName>> = {
  growth: "chart",
  revenue: "overview",
  defi: "flow",
  retention: "retention",
};

/** A template each, with what is on it; a click makes the board. */
export function TemplateCards({ onMade }: { onMade: (board: string) => void }) {
  const { project } = useView();
  const templates = useTemplates();
  const make = useBoardWrite<Board, string>(
    (template) => ({ method: "POST", path: "/v0/boards", body: { template, project_id: project } }),
    useWhileShown(({ id }) => onMade(id)),
  );
  if (templates.error) return <Failure failure={templates.error} onRetry={() => void templates.refetch()} />;
  if (templates.isPending) return <Skeleton rows={4} />;
  return (
    <>
      <FormFailure failure={make.error} />
      <ul className="template-cards">
        {templates.data.data.map((template) => (
          <TemplateCard
            key={template.id}
            template={template}
            isPending={make.isPending}
            onChoose={() => make.mutate(template.id)}
          />
        ))}
      </ul>
    </>
  );
}

interface TemplateCardProps {
  template: BoardTemplate;
  isPending: boolean;
  onChoose: () => void;
}

function TemplateCard({ template: { id, title, description, charts }, isPending, onChoose }: TemplateCardProps) {
  return (
    <li className="panel template-card">
      <span className="board-card-icon">
        <Icon name={TEMPLATE_ICONS[id] ?? "boards"} size={18} />
      </span>
      <h3>{title}</h3>
      <p>{description}</p>
      <ul className="template-charts" aria-label={`Charts of ${title}`}>
        {charts.map((chart) => (
          <li key={chart.title}>{chart.title}</li>
        ))}
      </ul>
      <button type="button" className="button" disabled={isPending} onClick={onChoose}>
        <Icon name="plus" /> Use {title}
      </button>
    </li>
  );
}
