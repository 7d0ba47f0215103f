"""Rules that several built-in kinds share: metadata, selectors, numbers, names.

The kinds' own modules call these. They return what they find and change nothing. Kubernetes: pkg/apis/core/validation,
apimachinery/pkg/api/validation.

    addresses     IP addresses and CIDR blocks, in the words of Kubernetes' validation
    balancers     what a load balancer reports in the status of a Service or of an Ingress
    conditions    conditions of the kind that all newer kinds share: metav1.Condition
    declared      rules that Kubernetes' types declare by tags
    domains       domain names beyond those that objects are named by
    ports         ports by number or by name, and the protocols that have ports
    rules         the words in which a kind says its rules as data, and what runs them
    urls          URLs as Go's net/url takes them apart, its error texts included
    values        numbers, ports and choices, in the words of Kubernetes' validation
    webhooks      where a webhook is called: at a URL, or at a Service
"""
