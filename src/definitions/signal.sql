acquisition != 'Direct' OR events.referrer != '' OR events.ref != '' OR events.utm_source != '' OR events.utm_medium != ''
    OR events.utm_campaign != '' OR events.utm_term != '' OR events.utm_content != ''
