C= @OPAQUE
C     The same number, unknown to the compiler.
      DOUBLE PRECISION FUNCTION @OPAQUE(X)
      DOUBLE PRECISION X
      @OPAQUE = X
      END
C= @NAN
C     Not a number.
      DOUBLE PRECISION FUNCTION @NAN(ZERO)
      DOUBLE PRECISION ZERO
      @NAN = ZERO/ZERO
      END
C= @INF
C     Infinity.
      DOUBLE PRECISION FUNCTION @INF(ZERO)
      DOUBLE PRECISION ZERO
      @INF = 1.0D0/ZERO
      END
C= @EQUAL
C     Whether two numbers are equal; false for NaN.
      LOGICAL FUNCTION @EQUAL(A, B)
      DOUBLE PRECISION A, B
      @EQUAL = A .LE. B .AND. A .GE. B
      END
C= @IF
C     A if C is true, otherwise B.
      DOUBLE PRECISION FUNCTION @IF(C, A, B)
      LOGICAL C
      DOUBLE PRECISION A, B
      @IF = B
      IF (C) @IF = A
      END
C= @WHICH
C     A if C is true, otherwise B; truth values.
      LOGICAL FUNCTION @WHICH(C, A, B)
      LOGICAL C, A, B
      @WHICH = B
      IF (C) @WHICH = A
      END
C= @BOTH
C     Whether A and B.
      LOGICAL FUNCTION @BOTH(A, B)
      LOGICAL A, B
      @BOTH = A .AND. B
      END
C= @EITHER
C     Whether A or B.
      LOGICAL FUNCTION @EITHER(A, B)
      LOGICAL A, B
      @EITHER = A .OR. B
      END
C= @FLOOR
C     Greatest whole number not above X.
      DOUBLE PRECISION FUNCTION @FLOOR(X)
      DOUBLE PRECISION X, Y
      Y = AINT(X)
      IF (Y .GT. X) Y = Y - 1.0D0
      @FLOOR = Y
      END
C= @SIGN
C     1 above zero, -1 below, otherwise X itself.
      DOUBLE PRECISION FUNCTION @SIGN(X)
      DOUBLE PRECISION X
      @SIGN = X
      IF (X .GT. 0.0D0) @SIGN = 1.0D0
      IF (X .LT. 0.0D0) @SIGN = -1.0D0
      END
C= @MIN
C     The first if it is less, otherwise the second.
      DOUBLE PRECISION FUNCTION @MIN(A, B)
      DOUBLE PRECISION A, B
      @MIN = B
      IF (A .LT. B) @MIN = A
      END
C= @MAX
C     The first if it is greater, otherwise the second.
      DOUBLE PRECISION FUNCTION @MAX(A, B)
      DOUBLE PRECISION A, B
      @MAX = B
      IF (A .GT. B) @MAX = A
      END
C= @POWER
C     X to the whole power N, by repeated squaring.
      DOUBLE PRECISION FUNCTION @POWER(X, N)
      DOUBLE PRECISION X, POWER, BASE
      INTEGER N, M
      POWER = 1.0D0
      BASE = X
      M = ABS(N)
   10 IF (M .NE. 0) THEN
         IF (MOD(M, 2) .EQ. 1) POWER = POWER*BASE
         BASE = BASE*BASE
         M = M/2
         GO TO 10
      END IF
      IF (N .LT. 0) POWER = 1.0D0/POWER
      @POWER = POWER
      END
C= @FUSED
C     The high half of a number's digits.
      DOUBLE PRECISION FUNCTION @HIGH(X)
      DOUBLE PRECISION X, S
      S = 134217729.0D0*X
      @HIGH = S - (S - X)
      END

C     A B + C with the product exact and the sum of the parts rounded
C     at the end.
      DOUBLE PRECISION FUNCTION @FUSED(A, B, C)
      DOUBLE PRECISION A, B, C, P, Y, AH, BH, AL, BL, PR, SEEN, SR
      DOUBLE PRECISION @HIGH
      P = A*B
      Y = P + C
      @FUSED = Y
      IF (.NOT. (ABS(A) .LT. 1.0D140 .AND. ABS(B) .LT. 1.0D140
     &    .AND. ABS(C) .LT. 1.0D290)) RETURN
      AH = @HIGH(A)
      BH = @HIGH(B)
      AL = A - AH
      BL = B - BH
      PR = (((AH*BH - P) + AH*BL) + AL*BH) + AL*BL
      SEEN = Y - P
      SR = (P - (Y - SEEN)) + (C - SEEN)
      @FUSED = Y + (SR + PR)
      END
C= @FIND
C     Number I of the interval of X between N increasing knots: 0 before
C     the first, N from the last on. T is X less its left end.
      SUBROUTINE @FIND(N, KNOTS, CLAMP, X, I, T)
      INTEGER N, I, J, M
      DOUBLE PRECISION KNOTS(N), X, T
      LOGICAL CLAMP
      I = 0
      J = N
   10 IF (I .LT. J) THEN
         M = (I + J)/2
         IF (KNOTS(M + 1) .LE. X) THEN
            I = M + 1
         ELSE
            J = M
         END IF
         GO TO 10
      END IF
      T = X - KNOTS(MAX(I, 1))
      IF (CLAMP .AND. X .LE. KNOTS(1) .AND. I .EQ. 0) T = 0.0D0
      IF (CLAMP .AND. X .GE. KNOTS(N) .AND. I .EQ. N) T = 0.0D0
      END
C= @CUBIC
C     A derivative of C(1) + C(2) T + C(3) T**2 + C(4) T**3.
      DOUBLE PRECISION FUNCTION @CUBIC(C, T, K)
      DOUBLE PRECISION C(4), T, Y
      INTEGER K
      Y = 0.0D0
      IF (K .EQ. 0) Y = C(1) + T*(C(2) + T*(C(3) + T*C(4)))
      IF (K .EQ. 1) Y = C(2) + T*(2.0D0*C(3) + T*(3.0D0*C(4)))
      IF (K .EQ. 2) Y = 2.0D0*C(3) + T*(6.0D0*C(4))
      IF (K .EQ. 3) Y = 6.0D0*C(4)
      @CUBIC = Y
      END
C= @LOOK1
C     A table of one argument, or its derivative.
      DOUBLE PRECISION FUNCTION @LOOK1(N, KNOTS, C, CLAMP,
     &    X, K)
      INTEGER N, K, I
      DOUBLE PRECISION KNOTS(N), C(4, 0:N), X, T
      DOUBLE PRECISION @CUBIC
      LOGICAL CLAMP
      CALL @FIND(N, KNOTS, CLAMP, X, I, T)
      @LOOK1 = @CUBIC(C(1, I), T, K)
      END
C= @LOOK2
C     A table of two arguments, or a partial derivative.
      DOUBLE PRECISION FUNCTION @LOOK2(NX, XK, NY, YK, C,
     &    CLAMP, X, Y, KX, KY)
      INTEGER NX, NY, KX, KY, I, J, K
      DOUBLE PRECISION XK(NX), YK(NY), C(4, 4, 0:NY, 0:NX), X, Y, S, T
      DOUBLE PRECISION @CUBIC, D(4)
      LOGICAL CLAMP
      CALL @FIND(NX, XK, CLAMP, X, I, S)
      CALL @FIND(NY, YK, CLAMP, Y, J, T)
      DO 10 K = 1, 4
         D(K) = @CUBIC(C(1, K, J, I), T, KY)
   10 CONTINUE
      @LOOK2 = @CUBIC(D, S, KX)
      END
C= @SOLVE
C     Solves A X = B for a symmetric positive semidefinite A by LDL^T; A is
C     N by N and destroyed; B goes column by column and becomes X.
C     Unknowns of rows that depend on others are zero.
      SUBROUTINE @SOLVE(N, A, M, B)
      INTEGER N, M, I, J, K
      DOUBLE PRECISION A(N, N), B(N, *), F, R
      DO 60 K = 1, N
         DO 20 J = 1, K - 1
            DO 10 I = 1, J - 1
               A(J, K) = A(J, K) - A(I, K)*A(I, J)
   10       CONTINUE
   20    CONTINUE
         R = A(K, K)
         DO 30 J = 1, K - 1
            F = A(J, K)
            A(J, K) = 0.0D0
            IF (A(J, J) .GT. 0.0D0) A(J, K) = F/A(J, J)
            R = R - F*A(J, K)
   30    CONTINUE
         IF (.NOT. ABS(R) .LE. 1.7D308) THEN
            F = 0.0D0
            F = F/F
            DO 50 J = 1, M/N
               DO 40 I = 1, N
                  B(I, J) = F
   40          CONTINUE
   50       CONTINUE
            RETURN
         END IF
         IF (.NOT. R .GT. 1.0D-12*A(K, K)) R = 0.0D0
         A(K, K) = R
   60 CONTINUE
      DO 120 K = 1, M/N
         DO 80 I = 1, N
            DO 70 J = 1, I - 1
               B(I, K) = B(I, K) - A(J, I)*B(J, K)
   70       CONTINUE
   80    CONTINUE
         DO 110 I = N, 1, -1
            IF (A(I, I) .GT. 0.0D0) THEN
               B(I, K) = B(I, K)/A(I, I)
            ELSE
               B(I, K) = 0.0D0
            END IF
            DO 100 J = I + 1, N
               B(I, K) = B(I, K) - A(I, J)*B(J, K)
  100       CONTINUE
  110    CONTINUE
  120 CONTINUE
      END
