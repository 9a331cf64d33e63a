/* Memory and string functions on shared buffers, also where they overlap. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

char text[128], copy[128], line[] = "one, two,,three four";
char *words[8];
int counts[26];

static void rotate(char *s, size_t by)
{
    size_t n = strlen(s);
    char *part = strndup(s, by);

    memmove(s, s + by, n - by);
    memcpy(s + n - by, part, by);
    free(part);
}

int main(void)
{
    int count = 0;
    char *rest;

    strcpy(text, "the quick brown fox");
    strcat(text, " jumps over ");
    strncat(text, "the lazy dogs", 12);
    rotate(text, 10);
    printf("%s %zu\n", text, strlen(text));
    for (char *w = strtok_r(line, ", ", &rest); w; w = strtok_r(NULL, ", ", &rest))
        words[count++] = w;
    for (int i = 0; i < count; i++)
        printf("%s%c", words[i], i + 1 < count ? '|' : '\n');
    for (const char *p = text; *p; p++)
        if (*p != ' ')
            counts[*p - 'a']++;
    printf("%d %d %d\n", counts['o' - 'a'], counts['z' - 'a'], counts['e' - 'a']);
    memset(copy, 'x', sizeof(copy));
    *stpcpy(copy, text) = '!';
    memmove(copy + 3, copy, 20);
    printf("%.50s\n", copy);
    printf("%d %d %d\n", strcmp(text, copy) < 0, memcmp(text, copy, 3), strcasecmp("AbC", "aBc"));
    printf("%s %s %s\n", strchr(text, 'z'), strrchr(text, 'z'), strstr(text, "fox") ? "fox" : "");
    printf("%zu %zu %ld %d\n", strspn(text, "abcdefghijklmnopqrstuvwxyz"), strcspn(text, "y"),
           strtol("-0x1fz", &rest, 16), *rest);
    bzero(copy, 4);
    strncpy(copy + 4, "pad", 8);
    for (int i = 0; i < 12; i++)
        printf("%d ", copy[i]);
    puts(mempcpy(copy, "end", 4) == copy + 4 ? copy : "wrong");
    return 0;
}
